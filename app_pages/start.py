import streamlit as st

st.title("TPO Lab")
st.page_link("app_pages/target.py")
