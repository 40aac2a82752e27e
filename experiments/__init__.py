"""One module per report: its measured rows as scenarios, and what is compared with them.

    python -m experiments [REPORT ...]     simulate the rows and print the error table
    python -m experiments fit [REPORT ...] fit the parameters that a report's definition names, and write them to models/
"""
