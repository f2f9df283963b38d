-- What went does not come back: it said what another relation still says.
select 1;
