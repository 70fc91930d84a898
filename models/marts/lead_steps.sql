-- One row per lead: its score and the parts of it as formulas over named inputs.

select id, steps
from int_lead_steps
where in_slice(id)

-- audit one_a_lead: every lead has steps, and no other row has
select id from leads full join lead_steps using (id) where leads.id is null or lead_steps.id is null;
