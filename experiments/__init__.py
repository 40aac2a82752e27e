"""One module per report: its measured rows as scenarios, and what is compared with them.

python -m experiments [REPORT ...]      simulates the rows and prints the error table
python -m experiments fit [REPORT ...]  fits the parameters that a definition names, and writes them to models/
"""
