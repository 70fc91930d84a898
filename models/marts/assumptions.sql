-- The declared assumption set, as this build used it.

select * from declared_assumptions
