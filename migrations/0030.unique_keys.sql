-- Setting of an organization: own keys are unique among the live records of each collection.
alter table organization add column unique_keys boolean not null default false;
