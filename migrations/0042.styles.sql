-- Season, size range and trade data of styles. Each column is added on its own: they may be distributed.
alter table style add column season_id bigint;

alter table style add column size_range_id bigint;

alter table style add column description text collate "C";

alter table style add column country_of_origin_code text collate "C";

alter table style add column hs_code text collate "C";

alter table style add column net_weight numeric;

alter table style add column status text collate "C" not null default 'workInProgress';

alter table style add column is_ready_for_export boolean not null default false;

alter table style add column gender text collate "C";

alter table style add column age_group text collate "C";

alter table style add constraint style_status_check check (status in ('workInProgress', 'published', 'delivered', 'cancelled'));

alter table style add constraint style_season_fk foreign key (organization_id, season_id) references season (organization_id, id);

alter table style add constraint style_size_range_fk foreign key (organization_id, size_range_id) references size_range (organization_id, id);

-- Indexes of nulls alone are so small that plans of other columns would read all styles by them.
create index style_by_season on style (organization_id, season_id) where season_id is not null;

create index style_by_size_range on style (organization_id, size_range_id) where size_range_id is not null;

comment on column style.net_weight is 'In grams, to the digit as sent.';
