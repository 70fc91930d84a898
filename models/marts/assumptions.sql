-- The declared assumption set, as this build used it.

select * from declared_assumptions

-- audit set_of_the_run: the set is that of the run
select * from assumptions where assumption_set_id <> (select assumption_set_id from run);
