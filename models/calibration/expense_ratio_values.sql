-- The ratios under each cell in which they count: size and vintage, size alone, and all. A property of unknown year has
-- no vintage.
select size || ' ' || vintage as cell, ratio as value, weight from expense_ratios where vintage is not null
union all
select size || ' any', ratio, weight from expense_ratios
union all
select 'all any', ratio, weight from expense_ratios
