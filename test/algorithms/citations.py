"""Find the citations of equations in sources: 'Key (number)', 'Key step 9', 'Key Table 1', ..."""

import re

KEYS = ('MohanSaha2007', 'Angeles7', 'SahaSchiehlen2001', 'Mata2002', 'Bhangale2004',
        'Featherstone2008', 'Singh2022')
PLACE = (r'(?:\([0-9]+(?:\.[0-9]+)?[a-z]?\)|\([AB]\.[0-9]+[a-z]?\)|Alg [0-9]+(?:\.[0-9]+)*'
         r'|step [0-9]+|Table [0-9IVX]+(?:\.[0-9]+)?|Sec [0-9]+(?:\.[0-9]+)*|[AB]\.[0-9])')
CITATION = re.compile(rf'\b({"|".join(KEYS)}) ({PLACE}(?:(?:, |-| and | to | with ){PLACE})*)')


def citations(text):
    """Return the citations of a text, each as 'Key place'; a list after one key counts singly."""
    text = re.sub(r'\s+#?\s*', ' ', text)
    return {f'{key} {place}' for key, places in CITATION.findall(text)
            for place in re.findall(PLACE, places)}
