-- The assortment of `python -m benchmarks products`. The parameters are the organization and the number of styles.

insert into brand (organization_id, name) values ($1, 'Benchmark');

insert into size_range (organization_id, name) values ($1, 'Benchmark');

insert into size_range_size (organization_id, size_range_id, name, position)
select $1, max(id), 'S' || n, n from size_range, generate_series(1, 5) n
where organization_id = $1 group by n;

insert into color (organization_id, name, user_defined_id)
select $1, 'Color ' || n, 'C' || n from generate_series(1, 200) n;

insert into price_list (organization_id, user_defined_id, name, type, currency_code, includes_tax, country_codes)
select $1, 'L' || n, 'List ' || n, 'retail', 'EUR', true, '{}' from generate_series(1, 5) n;

insert into channel (organization_id, user_defined_id, name, requirements)
values ($1, 'SHOP', 'Shop', '{brand, colors, skus, prices, image}');

insert into channel_price_list select $1, c.id, l.id from channel c join price_list l using (organization_id)
where organization_id = $1;

insert into channel_language select $1, id, 2 from channel where organization_id = $1;

insert into style (organization_id, number, name, status, brand_id, size_range_id)
select $1, 'P-' || n, 'Style ' || n, 'published', b.id, r.id
from generate_series(1, $2::integer) n, brand b, size_range r where b.organization_id = $1 and r.organization_id = $1;

insert into style_translation (organization_id, style_id, language_id, name)
select $1, id, 2, 'Modell ' || id from style where organization_id = $1;

insert into style_color (organization_id, style_id, color_id)
select $1, s.id, c.id from style s, generate_series(0, 1) n
cross join lateral (select min(id) + (s.id + n * 7) % 200 as id from color where organization_id = $1) c
where s.organization_id = $1;

insert into style_file (organization_id, style_id, file_name, category, url, is_main)
select $1, id, id || '.jpg', 'image', 'https://example.com/' || id || '.jpg', true from style where organization_id = $1;

insert into style_sku (organization_id, sku, style_color_id, style_id, color_id, size_range_size_id)
select $1, c.id || '-' || z.name, c.id, c.style_id, c.color_id, z.id
from style_color c join size_range_size z using (organization_id) where organization_id = $1;

insert into style_price (organization_id, style_id, price_list_id, style_color_id, size_range_size_id, minimum_quantity, amount)
select $1, k.style_id, l.id, k.style_color_id, k.size_range_size_id, 1, 20 + k.id % 80 + 0.95
from style_sku k join price_list l using (organization_id) where organization_id = $1 and l.user_defined_id < 'L4';

insert into style_price (organization_id, style_id, price_list_id, style_color_id, size_range_size_id, minimum_quantity, amount,
    valid_from, valid_to)
select $1, s.id, l.id, case when p.of in ('color', 'both') then c.id end, case when p.of in ('size', 'both') then z.id end, p.least,
    p.amount, current_date - p.since, current_date + p.still
from style s join price_list l using (organization_id)
cross join lateral (select min(id) as id from style_color c where c.organization_id = $1 and c.style_id = s.id) c
cross join (select min(id) as id from size_range_size where organization_id = $1) z
cross join (values
    ('all', 1, 99.95, 400, -21), ('all', 1, 79.95, 20, null), ('all', 5, 75, 20, null), ('all', 10, 70, 20, null),
    ('color', 1, 89.95, 400, -11), ('color', 1, 69.95, 10, null), ('size', 1, 84.95, 400, -11), ('size', 1, 74.95, 10, null),
    ('both', 1, 64.95, 5, 5), ('both', 1, 66.95, -6, 20)
) p(of, least, amount, since, still)
where s.organization_id = $1 and l.user_defined_id > 'L3';
