"""One module per report: its measured rows as scenarios, and how simulations compare with them.

python -m experiments [REPORT ...]      simulates the rows and prints the error table
python -m experiments calibrate         fits the parameters to the calibration rows and writes them to models/
python -m experiments crossvalidate     predicts each card, host, system, tool and report without having seen it
"""
