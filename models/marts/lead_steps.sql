-- One row per lead: its score and the parts of it as formulas over named inputs.

select id, steps
from int_lead_steps
