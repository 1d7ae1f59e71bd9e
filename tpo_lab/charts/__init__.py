"""Data to chart specifications; knows no Streamlit and computes nothing but what drawing needs."""
