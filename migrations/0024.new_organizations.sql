-- Extended statistics need values of organization_id, with which PostgreSQL takes an organization that they do not have for
-- an empty one. `selvedge migrate` gives tables of charts estimates without them (service/database/planner_statistics.py).
drop statistics measurement_line_statistics;
