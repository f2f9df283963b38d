-- sub-suppliers: SQL statements as they are sent; only line breaks and indents differ.

-- sub-suppliers.list: First page of all records, in the default order.
--   $1::bigint organization_id
select
    case when octet_length(documents) <= 8388608 then convert_to(documents, 'UTF8') end as documents,
    last_values,
    has_more
from (
    select
        coalesce(string_agg(document, ',' order by page_order) filter (where page_order <= 30),
            '') as documents,
        max(sort_values) as last_values,
        coalesce(max(page_order), 0) > 30 as has_more
    from (
        with record as (
            select
                s.*,
                (
                    upper(left(s.relation_type, 1) collate "default")
                    || translate(substr(s.relation_type, 2), '_-', '  ')
                ) collate "C" as relation_type_name,
                c.name as country_name,
                (
                    select count(*) from facility f
                    where f.organization_id = $1::bigint and f.sub_supplier_id = s.id
                        and f.state <> 'deleted'
                ) as facility_count
            from sub_supplier s
            left join country c on c.code = s.country_code
            where s.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record where record.state <> 'deleted'
                order by record.id limit 30 + 1 offset 0
            ) as record
        ),
        contacts as (
            select
                k.sub_supplier_id,
                string_agg(
                    '{"id":' || k.id
                    || coalesce(',"firstName":' || to_json(k.first_name), '')
                    || coalesce(',"lastName":' || to_json(k.last_name), '')
                    || coalesce(',"email":' || to_json(k.email), '')
                    || coalesce(',"phone":' || to_json(k.phone), '')
                    || coalesce(',"role":' || to_json(k.role), '')
                    || coalesce(',"faxNumber":' || to_json(k.fax_number), '')
                    || coalesce(',"countryCode":' || to_json(k.country_code), '')
                    || coalesce(',"countryName":' || to_json(c.name), '')
                    || ',"properties":[]}',
                    ',' order by k.id
                ) as documents
            from sub_supplier_contact k
            left join country c on c.code = k.country_code
            where k.organization_id = $1::bigint and k.sub_supplier_id = any(array(select id from page))
                and not k.deleted_with_sub_supplier
            group by k.sub_supplier_id
        )
        select
            page_order,
            sort_values,
            '{"id":"' || id || '","organizationId":' || organization_id::text || ',"name":'
                || to_json(name)::text || coalesce(',"customId":' || to_json(custom_id)::text, '')
                || coalesce(',"relationType":' || to_json(relation_type)::text, '')
                || coalesce(',"relationTypeName":' || to_json(relation_type_name)::text, '')
                || coalesce(',"address":' || to_json(address)::text, '')
                || coalesce(',"zipCode":' || to_json(zip_code)::text, '')
                || coalesce(',"city":' || to_json(city)::text, '')
                || coalesce(',"stateOrRegion":' || to_json(state_or_region)::text, '')
                || coalesce(',"countryCode":' || to_json(country_code)::text, '')
                || coalesce(',"countryName":' || to_json(country_name)::text, '')
                || coalesce(',"webSite":' || to_json(web_site)::text, '')
                || coalesce(',"vatNumber":' || to_json(vat_number)::text, '')
                || coalesce(',"mid":' || to_json(mid)::text, '')
                || coalesce(',"avatarColor":' || to_json(avatar_color)::text, '')
                || coalesce(',"processingTypes":' || to_json(processing_types)::text, '')
                || coalesce(',"latitude":' || to_json(latitude)::text, '')
                || coalesce(',"longitude":' || to_json(longitude)::text, '') || ',"facilityCount":'
                || facility_count::text || ',"state":"' || state || '","createdAt":"'
                || to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
            || ',"contacts":[' || coalesce(contacts.documents, '') || ']}' as document
        from page
        left join contacts on contacts.sub_supplier_id = page.id
    ) as page
) as page;
-- Page by number:
--   -                 order by record.id limit 30 + 1 offset 0
--   +                 order by record.id limit 30 + 1 offset $2::bigint
-- Again, cut, if the page exceeds its bytes:
--   -     case when octet_length(documents) <= 8388608 then convert_to(documents, 'UTF8') end as documents,
--   -     last_values,
--   -     has_more
--   +     convert_to(string_agg(document, ',' order by page_order), 'UTF8') as documents,
--   +     (array_agg(sort_values order by page_order desc))[1] as last_values,
--   +     count(*) < max(found) as has_more
--   -         coalesce(string_agg(document, ',' order by page_order) filter (where page_order <= 30),
--   -             '') as documents,
--   -         max(sort_values) as last_values,
--   -         coalesce(max(page_order), 0) > 30 as has_more
--   +         page.*,
--   +         sum(octet_length(document)) over (order by page_order) as bytes,
--   +         count(*) over () as found
--   -             case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
--   -                 end as sort_values
--   +             json_build_array(record.id)::text as sort_values
--   + where page_order = 1 or (page_order <= 30 and bytes <= 8388608)

-- sub-suppliers.list_example: Example: name contains $2, sorted by it, descending.
--   $1::bigint organization_id
--   $2::text filter_value
select
    case when octet_length(documents) <= 8388608 then convert_to(documents, 'UTF8') end as documents,
    last_values,
    has_more
from (
    select
        coalesce(string_agg(document, ',' order by page_order) filter (where page_order <= 30),
            '') as documents,
        max(sort_values) as last_values,
        coalesce(max(page_order), 0) > 30 as has_more
    from (
        with record as (
            select
                s.*,
                (
                    upper(left(s.relation_type, 1) collate "default")
                    || translate(substr(s.relation_type, 2), '_-', '  ')
                ) collate "C" as relation_type_name,
                c.name as country_name,
                (
                    select count(*) from facility f
                    where f.organization_id = $1::bigint and f.sub_supplier_id = s.id
                        and f.state <> 'deleted'
                ) as facility_count
            from sub_supplier s
            left join country c on c.code = s.country_code
            where s.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.name desc, record.id) as page_order,
            case row_number() over (order by record.name desc, record.id)
                when 30 then json_build_array(record.name, record.id)::text end as sort_values
            from (
                select * from record
                    where strpos(lower(record.name collate "default"), lower($2::text collate "default")) > 0
                    and record.state <> 'deleted'
                order by record.name desc, record.id limit 30 + 1 offset 0
            ) as record
        ),
        contacts as (
            select
                k.sub_supplier_id,
                string_agg(
                    '{"id":' || k.id
                    || coalesce(',"firstName":' || to_json(k.first_name), '')
                    || coalesce(',"lastName":' || to_json(k.last_name), '')
                    || coalesce(',"email":' || to_json(k.email), '')
                    || coalesce(',"phone":' || to_json(k.phone), '')
                    || coalesce(',"role":' || to_json(k.role), '')
                    || coalesce(',"faxNumber":' || to_json(k.fax_number), '')
                    || coalesce(',"countryCode":' || to_json(k.country_code), '')
                    || coalesce(',"countryName":' || to_json(c.name), '')
                    || ',"properties":[]}',
                    ',' order by k.id
                ) as documents
            from sub_supplier_contact k
            left join country c on c.code = k.country_code
            where k.organization_id = $1::bigint and k.sub_supplier_id = any(array(select id from page))
                and not k.deleted_with_sub_supplier
            group by k.sub_supplier_id
        )
        select
            page_order,
            sort_values,
            '{"id":"' || id || '","organizationId":' || organization_id::text || ',"name":'
                || to_json(name)::text || coalesce(',"customId":' || to_json(custom_id)::text, '')
                || coalesce(',"relationType":' || to_json(relation_type)::text, '')
                || coalesce(',"relationTypeName":' || to_json(relation_type_name)::text, '')
                || coalesce(',"address":' || to_json(address)::text, '')
                || coalesce(',"zipCode":' || to_json(zip_code)::text, '')
                || coalesce(',"city":' || to_json(city)::text, '')
                || coalesce(',"stateOrRegion":' || to_json(state_or_region)::text, '')
                || coalesce(',"countryCode":' || to_json(country_code)::text, '')
                || coalesce(',"countryName":' || to_json(country_name)::text, '')
                || coalesce(',"webSite":' || to_json(web_site)::text, '')
                || coalesce(',"vatNumber":' || to_json(vat_number)::text, '')
                || coalesce(',"mid":' || to_json(mid)::text, '')
                || coalesce(',"avatarColor":' || to_json(avatar_color)::text, '')
                || coalesce(',"processingTypes":' || to_json(processing_types)::text, '')
                || coalesce(',"latitude":' || to_json(latitude)::text, '')
                || coalesce(',"longitude":' || to_json(longitude)::text, '') || ',"facilityCount":'
                || facility_count::text || ',"state":"' || state || '","createdAt":"'
                || to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
            || ',"contacts":[' || coalesce(contacts.documents, '') || ']}' as document
        from page
        left join contacts on contacts.sub_supplier_id = page.id
    ) as page
) as page;
-- Next page, by cursor:
--   -                     and record.state <> 'deleted'
--   +                     and record.state <> 'deleted' and (record.name <= $3::text)
--   +                     and (record.name < $3::text or record.id > $4::bigint)

-- sub-suppliers.list_by_reference: First page of the records whose contacts.id is $2.
--   $1::bigint organization_id
--   $2::bigint filter_value
select
    case when octet_length(documents) <= 8388608 then convert_to(documents, 'UTF8') end as documents,
    last_values,
    has_more
from (
    select
        coalesce(string_agg(document, ',' order by page_order) filter (where page_order <= 30),
            '') as documents,
        max(sort_values) as last_values,
        coalesce(max(page_order), 0) > 30 as has_more
    from (
        with record as (
            select
                s.*,
                (
                    upper(left(s.relation_type, 1) collate "default")
                    || translate(substr(s.relation_type, 2), '_-', '  ')
                ) collate "C" as relation_type_name,
                c.name as country_name,
                (
                    select count(*) from facility f
                    where f.organization_id = $1::bigint and f.sub_supplier_id = s.id
                        and f.state <> 'deleted'
                ) as facility_count
            from sub_supplier s
            left join country c on c.code = s.country_code
            where s.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record where -- Condition of a page: records with an entry of sub_supplier_contact that matches. The array makes the planner begin with the
                -- entries; with a join it may read all records until it has a page of matches.
                record.id = any(array(
                    select entry.sub_supplier_id from sub_supplier_contact entry
                    where entry.organization_id = $1::bigint and not entry.deleted_with_sub_supplier
                        and entry.id = $2::bigint
                )) and record.state <> 'deleted'
                order by record.id limit 30 + 1 offset 0
            ) as record
        ),
        contacts as (
            select
                k.sub_supplier_id,
                string_agg(
                    '{"id":' || k.id
                    || coalesce(',"firstName":' || to_json(k.first_name), '')
                    || coalesce(',"lastName":' || to_json(k.last_name), '')
                    || coalesce(',"email":' || to_json(k.email), '')
                    || coalesce(',"phone":' || to_json(k.phone), '')
                    || coalesce(',"role":' || to_json(k.role), '')
                    || coalesce(',"faxNumber":' || to_json(k.fax_number), '')
                    || coalesce(',"countryCode":' || to_json(k.country_code), '')
                    || coalesce(',"countryName":' || to_json(c.name), '')
                    || ',"properties":[]}',
                    ',' order by k.id
                ) as documents
            from sub_supplier_contact k
            left join country c on c.code = k.country_code
            where k.organization_id = $1::bigint and k.sub_supplier_id = any(array(select id from page))
                and not k.deleted_with_sub_supplier
            group by k.sub_supplier_id
        )
        select
            page_order,
            sort_values,
            '{"id":"' || id || '","organizationId":' || organization_id::text || ',"name":'
                || to_json(name)::text || coalesce(',"customId":' || to_json(custom_id)::text, '')
                || coalesce(',"relationType":' || to_json(relation_type)::text, '')
                || coalesce(',"relationTypeName":' || to_json(relation_type_name)::text, '')
                || coalesce(',"address":' || to_json(address)::text, '')
                || coalesce(',"zipCode":' || to_json(zip_code)::text, '')
                || coalesce(',"city":' || to_json(city)::text, '')
                || coalesce(',"stateOrRegion":' || to_json(state_or_region)::text, '')
                || coalesce(',"countryCode":' || to_json(country_code)::text, '')
                || coalesce(',"countryName":' || to_json(country_name)::text, '')
                || coalesce(',"webSite":' || to_json(web_site)::text, '')
                || coalesce(',"vatNumber":' || to_json(vat_number)::text, '')
                || coalesce(',"mid":' || to_json(mid)::text, '')
                || coalesce(',"avatarColor":' || to_json(avatar_color)::text, '')
                || coalesce(',"processingTypes":' || to_json(processing_types)::text, '')
                || coalesce(',"latitude":' || to_json(latitude)::text, '')
                || coalesce(',"longitude":' || to_json(longitude)::text, '') || ',"facilityCount":'
                || facility_count::text || ',"state":"' || state || '","createdAt":"'
                || to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
            || ',"contacts":[' || coalesce(contacts.documents, '') || ']}' as document
        from page
        left join contacts on contacts.sub_supplier_id = page.id
    ) as page
) as page;
-- contacts.email is $2:
--   -                         and entry.id = $2::bigint
--   +                         and entry.email = $2::text

-- sub-suppliers.list_changed: First page of the records that transactions after a number have changed.
--   $1::bigint organization_id
--   $2::bigint after_n
select
    case when octet_length(documents) <= 8388608 then convert_to(documents, 'UTF8') end as documents,
    last_values,
    has_more
from (
    select
        coalesce(string_agg(document, ',' order by page_order) filter (where page_order <= 30),
            '') as documents,
        max(sort_values) as last_values,
        coalesce(max(page_order), 0) > 30 as has_more
    from (
        with record as (
            select
                s.*,
                (
                    upper(left(s.relation_type, 1) collate "default")
                    || translate(substr(s.relation_type, 2), '_-', '  ')
                ) collate "C" as relation_type_name,
                c.name as country_name,
                (
                    select count(*) from facility f
                    where f.organization_id = $1::bigint and f.sub_supplier_id = s.id
                        and f.state <> 'deleted'
                ) as facility_count
            from sub_supplier s
            left join country c on c.code = s.country_code
            where s.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record where record.state <> 'deleted' and -- Condition of lists: records that transactions after a number, or without one, have changed, and records that show
                -- changed ones.
                record.id in (
                    select changed.record_id::bigint
                    from (
                        -- Transactions of changed_records. Two branches, because an "or" hides the partial indexes from the planner.
                        select numbered.records, numbered.causes from change numbered
                        where numbered.organization_id = $1::bigint and numbered.n > $2::bigint
                        union all
                        select unnumbered.records, unnumbered.causes from change unnumbered
                        where unnumbered.organization_id = $1::bigint and unnumbered.n is null
                    ) as change
                    cross join lateral jsonb_each(change.records -> 'sub-suppliers') as operation(name, ids)
                    cross join lateral jsonb_array_elements_text(operation.ids) as changed(record_id)
                )
                order by record.id limit 30 + 1 offset 0
            ) as record
        ),
        contacts as (
            select
                k.sub_supplier_id,
                string_agg(
                    '{"id":' || k.id
                    || coalesce(',"firstName":' || to_json(k.first_name), '')
                    || coalesce(',"lastName":' || to_json(k.last_name), '')
                    || coalesce(',"email":' || to_json(k.email), '')
                    || coalesce(',"phone":' || to_json(k.phone), '')
                    || coalesce(',"role":' || to_json(k.role), '')
                    || coalesce(',"faxNumber":' || to_json(k.fax_number), '')
                    || coalesce(',"countryCode":' || to_json(k.country_code), '')
                    || coalesce(',"countryName":' || to_json(c.name), '')
                    || ',"properties":[]}',
                    ',' order by k.id
                ) as documents
            from sub_supplier_contact k
            left join country c on c.code = k.country_code
            where k.organization_id = $1::bigint and k.sub_supplier_id = any(array(select id from page))
                and not k.deleted_with_sub_supplier
            group by k.sub_supplier_id
        )
        select
            page_order,
            sort_values,
            '{"id":"' || id || '","organizationId":' || organization_id::text || ',"name":'
                || to_json(name)::text || coalesce(',"customId":' || to_json(custom_id)::text, '')
                || coalesce(',"relationType":' || to_json(relation_type)::text, '')
                || coalesce(',"relationTypeName":' || to_json(relation_type_name)::text, '')
                || coalesce(',"address":' || to_json(address)::text, '')
                || coalesce(',"zipCode":' || to_json(zip_code)::text, '')
                || coalesce(',"city":' || to_json(city)::text, '')
                || coalesce(',"stateOrRegion":' || to_json(state_or_region)::text, '')
                || coalesce(',"countryCode":' || to_json(country_code)::text, '')
                || coalesce(',"countryName":' || to_json(country_name)::text, '')
                || coalesce(',"webSite":' || to_json(web_site)::text, '')
                || coalesce(',"vatNumber":' || to_json(vat_number)::text, '')
                || coalesce(',"mid":' || to_json(mid)::text, '')
                || coalesce(',"avatarColor":' || to_json(avatar_color)::text, '')
                || coalesce(',"processingTypes":' || to_json(processing_types)::text, '')
                || coalesce(',"latitude":' || to_json(latitude)::text, '')
                || coalesce(',"longitude":' || to_json(longitude)::text, '') || ',"facilityCount":'
                || facility_count::text || ',"state":"' || state || '","createdAt":"'
                || to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
            || ',"contacts":[' || coalesce(contacts.documents, '') || ']}' as document
        from page
        left join contacts on contacts.sub_supplier_id = page.id
    ) as page
) as page;

-- sub-suppliers.count: Count the records of all pages.
--   $1::bigint organization_id
-- Begins like a documents statement, up to its page.
with record as (
    select
        s.*,
        (
            upper(left(s.relation_type, 1) collate "default")
            || translate(substr(s.relation_type, 2), '_-', '  ')
        ) collate "C" as relation_type_name,
        c.name as country_name,
        (
            select count(*) from facility f
            where f.organization_id = $1::bigint and f.sub_supplier_id = s.id
                and f.state <> 'deleted'
        ) as facility_count
    from sub_supplier s
    left join country c on c.code = s.country_code
    where s.organization_id = $1::bigint
),
page as materialized (
    select record.id from record where record.state <> 'deleted'
)
select count(*) as total from page;
-- Count of the example:
--   -     select record.id from record where record.state <> 'deleted'
--   +     select record.id from record
--   +         where strpos(lower(record.name collate "default"), lower($2::text collate "default")) > 0
--   +         and record.state <> 'deleted'

-- sub-suppliers.id_by_key: Find the record that a path names by its own key, customId.
--   $1::bigint organization_id
--   $2::text key
-- Live records with an own key: more than one, if it is ambiguous.
select id from sub_supplier
where organization_id = $1::bigint and custom_id = $2::text and state <> 'deleted'
order by id
limit 5;

-- sub-suppliers.read: Read a document.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    with record as (
        select
            s.*,
            (
                upper(left(s.relation_type, 1) collate "default")
                || translate(substr(s.relation_type, 2), '_-', '  ')
            ) collate "C" as relation_type_name,
            c.name as country_name,
            (
                select count(*) from facility f
                where f.organization_id = $1::bigint and f.sub_supplier_id = s.id
                    and f.state <> 'deleted'
            ) as facility_count
        from sub_supplier s
        left join country c on c.code = s.country_code
        where s.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    ),
    contacts as (
        select
            k.sub_supplier_id,
            string_agg(
                '{"id":' || k.id
                || coalesce(',"firstName":' || to_json(k.first_name), '')
                || coalesce(',"lastName":' || to_json(k.last_name), '')
                || coalesce(',"email":' || to_json(k.email), '')
                || coalesce(',"phone":' || to_json(k.phone), '')
                || coalesce(',"role":' || to_json(k.role), '')
                || coalesce(',"faxNumber":' || to_json(k.fax_number), '')
                || coalesce(',"countryCode":' || to_json(k.country_code), '')
                || coalesce(',"countryName":' || to_json(c.name), '')
                || ',"properties":[]}',
                ',' order by k.id
            ) as documents
        from sub_supplier_contact k
        left join country c on c.code = k.country_code
        where k.organization_id = $1::bigint and k.sub_supplier_id = any(array(select id from page))
            and not k.deleted_with_sub_supplier
        group by k.sub_supplier_id
    )
    select
        page_order,
        sort_values,
        '{"id":"' || id || '","organizationId":' || organization_id::text || ',"name":' || to_json(name)::text
            || coalesce(',"customId":' || to_json(custom_id)::text, '')
            || coalesce(',"relationType":' || to_json(relation_type)::text, '')
            || coalesce(',"relationTypeName":' || to_json(relation_type_name)::text, '')
            || coalesce(',"address":' || to_json(address)::text, '')
            || coalesce(',"zipCode":' || to_json(zip_code)::text, '')
            || coalesce(',"city":' || to_json(city)::text, '')
            || coalesce(',"stateOrRegion":' || to_json(state_or_region)::text, '')
            || coalesce(',"countryCode":' || to_json(country_code)::text, '')
            || coalesce(',"countryName":' || to_json(country_name)::text, '')
            || coalesce(',"webSite":' || to_json(web_site)::text, '')
            || coalesce(',"vatNumber":' || to_json(vat_number)::text, '')
            || coalesce(',"mid":' || to_json(mid)::text, '')
            || coalesce(',"avatarColor":' || to_json(avatar_color)::text, '')
            || coalesce(',"processingTypes":' || to_json(processing_types)::text, '')
            || coalesce(',"latitude":' || to_json(latitude)::text, '')
            || coalesce(',"longitude":' || to_json(longitude)::text, '') || ',"facilityCount":'
            || facility_count::text || ',"state":"' || state || '","createdAt":"'
            || to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
        || ',"contacts":[' || coalesce(contacts.documents, '') || ']}' as document
    from page
    left join contacts on contacts.sub_supplier_id = page.id
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])
-- Change feed with documents, one record:
--   -     case when count(*) = 1 or sum(octet_length(document)) <= 33554432
--   +     case when count(*) = 1 or sum(octet_length(document)) <= 8388608
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = $2::bigint and record.state <> 'deleted'
-- Change feed with documents, several records:
--   -     case when count(*) = 1 or sum(octet_length(document)) <= 33554432
--   +     case when count(*) = 1 or sum(octet_length(document)) <= 8388608
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[]) and record.state <> 'deleted'

-- sub-suppliers.read_writable: Read a writable form.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    with record as (
        select s.* from sub_supplier s where s.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    ),
    contacts as (
        select
            sub_supplier_id,
            json_agg(
                json_build_object(
                    'id', id,
                    'firstName', first_name,
                    'lastName', last_name,
                    'email', email,
                    'phone', phone,
                    'role', role,
                    'faxNumber', fax_number,
                    'countryCode', country_code
                )
                order by id
            ) as documents
        from sub_supplier_contact
        where organization_id = $1::bigint and sub_supplier_id = any(array(select id from page))
        group by sub_supplier_id
    )
    select
        page_order,
        sort_values,
        '{"name":' || to_json(name)::text || ',"customId":' || coalesce(to_json(custom_id)::text, 'null')
            || ',"relationType":' || coalesce(to_json(relation_type)::text, 'null') || ',"address":'
            || coalesce(to_json(address)::text, 'null') || ',"zipCode":'
            || coalesce(to_json(zip_code)::text, 'null') || ',"city":'
            || coalesce(to_json(city)::text, 'null') || ',"stateOrRegion":'
            || coalesce(to_json(state_or_region)::text, 'null') || ',"countryCode":'
            || coalesce(to_json(country_code)::text, 'null') || ',"webSite":'
            || coalesce(to_json(web_site)::text, 'null') || ',"vatNumber":'
            || coalesce(to_json(vat_number)::text, 'null') || ',"mid":'
            || coalesce(to_json(mid)::text, 'null') || ',"processingTypes":'
            || coalesce(to_json(processing_types)::text, 'null') || ',"latitude":'
            || coalesce(to_json(latitude)::text, 'null') || ',"longitude":'
            || coalesce(to_json(longitude)::text, 'null') || ',"state":"' || state || '"'
        || ',"contacts":' || coalesce(contacts.documents::text, '[]') || '}' as document
    from page
    left join contacts on contacts.sub_supplier_id = page.id
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- sub-suppliers.lock_by_id: Lock the records of a write, by id, in the order of the ids.
--   $1::bigint organization_id
--   $2::text ids
select id, state as state, custom_id as key, null::bigint as within_id from sub_supplier
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- sub-suppliers.lock_by_key: Lock the records of a write that names them by own key, customId.
--   $1::bigint organization_id
--   $2::text[] keys
select id, state as state, custom_id as key, null::bigint as within_id from sub_supplier
where organization_id = $1::bigint and id = any(array(
    select one.id from sub_supplier one where one.organization_id = $1::bigint
        and one.custom_id = any($2::text[])
))
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- sub-suppliers.check: Report the errors that only stored data show.
--   $1::bigint organization_id
--   $2::jsonb items
select
    item.n::integer as item,
    'validation_error.unknown_reference' as type,
    json_build_array('contacts', contact.n - 1, 'id')::text as path,
    'This sub-supplier has no such contact.' as message
from rows from (
    jsonb_to_recordset($2::jsonb) as (id bigint, contacts jsonb)
) with ordinality as item(id, contacts, n)
cross join lateral rows from (
    jsonb_to_recordset(item.contacts) as (id bigint, "isNew" boolean)
) with ordinality as contact(id, is_new, n)
where contact.is_new is null and not exists (
    select 1 from sub_supplier_contact stored
    where stored.organization_id = $1::bigint
        and stored.sub_supplier_id = item.id and stored.id = contact.id
)
order by item.n, contact.n;

-- sub-suppliers.check_facilities: Report facilities that a restore would give one name.
--   $1::bigint organization_id
--   $2::jsonb items
-- Where own keys are unique, a restore cannot bring back two facilities of one name. The lock keeps deleted facilities from
-- being renamed until they are restored.
with restored as materialized (
    select facility.id, facility.name, item.n
    from rows
        from (jsonb_to_recordset($2::jsonb) as (id bigint, state text)) with ordinality as item(id, state, n)
    join facility on facility.organization_id = $1::bigint and facility.sub_supplier_id = item.id
    where item.state <> 'deleted' and facility.state_before is not null
    order by facility.id
    for no key update of facility
)
select distinct on (n)
    n::integer as item,
    'conflict.duplicate' as type,
    '["state"]' as path,
    'Rename one of the deleted facilities ' || array_to_string((array_agg(id order by id))[1:10], ', ')
    || ': they have one name.' as message
from restored
group by n, name
having count(*) > 1
order by n, min(id);

-- sub-suppliers.stored_contacts: Read the stored contacts.
--   $1::bigint organization_id
--   $2::text ids
select sub_supplier_id, id, first_name, last_name, email, phone, role, fax_number, country_code
from sub_supplier_contact
where organization_id = $1::bigint and sub_supplier_id = any((select $2::text::bigint[])::bigint[]);

-- sub-suppliers.delete: Mark records as deleted.
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update sub_supplier set state = 'deleted'
    where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
    returning id, false as shown
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- sub-suppliers.delete_contacts: Mark contacts as deleted.
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update sub_supplier_contact set deleted_with_sub_supplier = true
    where organization_id = $1::bigint and sub_supplier_id = any((select $2::text::bigint[])::bigint[])
    returning sub_supplier_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- sub-suppliers.delete_facilities: Mark facilities as deleted.
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update facility set state_before = state, state = 'deleted'
    where organization_id = $1::bigint and sub_supplier_id = any((select $2::text::bigint[])::bigint[])
        and state <> 'deleted'
    returning sub_supplier_id as id, id as "facilities deleted"
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- sub-suppliers.update: Update the records that differ from their items.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update sub_supplier as stored
    set name = item."name", custom_id = item."customId", relation_type = item."relationType",
        address = item."address", zip_code = item."zipCode", city = item."city",
        state_or_region = item."stateOrRegion", country_code = item."countryCode", web_site = item."webSite",
        vat_number = item."vatNumber", mid = item."mid", processing_types = item."processingTypes",
        latitude = item."latitude", longitude = item."longitude", state = item."state"
    from jsonb_to_recordset($2::jsonb) as item(id bigint, "name" text, "customId" text, "relationType" text,
        "address" text, "zipCode" text, "city" text, "stateOrRegion" text, "countryCode" text, "webSite" text,
        "vatNumber" text, "mid" text, "processingTypes" text, "latitude" double precision,
        "longitude" double precision, "state" text)
    join sub_supplier before on before.organization_id = $1::bigint and before.id = item.id
    where stored.organization_id = $1::bigint and stored.id = item.id
        and row(stored.name, stored.custom_id, stored.relation_type, stored.address, stored.zip_code,
            stored.city, stored.state_or_region, stored.country_code, stored.web_site, stored.vat_number,
            stored.mid, stored.processing_types, stored.latitude, stored.longitude, stored.state) is distinct
            from row(item."name", item."customId", item."relationType", item."address", item."zipCode",
                item."city", item."stateOrRegion", item."countryCode", item."webSite", item."vatNumber",
                item."mid", item."processingTypes", item."latitude", item."longitude", item."state")
    returning stored.id, false as shown
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- sub-suppliers.update_contacts: Update contacts that differ.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    -- The planner cannot estimate the number of contacts. An array of ids makes it read by the primary key.
    with wanted as materialized (
        select contact.*, item.id as sub_supplier_id, item.state = 'deleted' as goes
        from jsonb_to_recordset($2::jsonb) as item(id bigint, state text, contacts jsonb)
        cross join lateral jsonb_to_recordset(item.contacts) as contact(
            id bigint, "isNew" boolean, "firstName" text, "lastName" text, email text, phone text, role text,
            "faxNumber" text, "countryCode" text
        )
        where contact."isNew" is null
    )
    update sub_supplier_contact stored
    set
        first_name = wanted."firstName",
        last_name = wanted."lastName",
        email = wanted.email,
        phone = wanted.phone,
        role = wanted.role,
        fax_number = wanted."faxNumber",
        country_code = wanted."countryCode",
        deleted_with_sub_supplier = wanted.goes
    from wanted
    where stored.organization_id = $1::bigint and stored.sub_supplier_id = wanted.sub_supplier_id
        and stored.id = wanted.id and stored.id = any(array(select id from wanted))
        and (
            stored.first_name, stored.last_name, stored.email, stored.phone, stored.role, stored.fax_number,
            stored.country_code, stored.deleted_with_sub_supplier
        ) is distinct from (
            wanted."firstName", wanted."lastName", wanted.email, wanted.phone, wanted.role,
                wanted."faxNumber",
            wanted."countryCode", wanted.goes
        )
    returning stored.sub_supplier_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- sub-suppliers.remove_contacts: Delete contacts that items omit.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    delete from sub_supplier_contact
    where organization_id = $1::bigint
        and sub_supplier_id = any(array(
            select item.id from jsonb_to_recordset($2::jsonb) as item(id bigint)
        ))
        and id not in (
            select contact.id
            from jsonb_to_recordset($2::jsonb) as item(contacts jsonb)
            cross join lateral jsonb_to_recordset(item.contacts) as contact(id bigint)
        )
    returning sub_supplier_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- sub-suppliers.restore_facilities: Restore the facilities of restored sub-suppliers.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update facility set state = state_before, state_before = null
    where organization_id = $1::bigint and state_before is not null
        and sub_supplier_id = any(array(
            select item.id from jsonb_to_recordset($2::jsonb) as item(id bigint, state text)
            where item.state <> 'deleted'
        ))
    returning sub_supplier_id as id, id as "facilities"
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- sub-suppliers.insert: Insert new records.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into sub_supplier as stored (organization_id, id, avatar_color, name, custom_id, relation_type,
        address, zip_code, city, state_or_region, country_code, web_site, vat_number, mid, processing_types,
        latitude, longitude, state)
    select
        o.id,
        item.id,
        (array['#2f6f8f', '#8f4a2f', '#4f7d3a', '#7a3f86', '#b0812a', '#3d4f8f', '#a03350'])[1 + item.id % 7],
        item."name", item."customId", item."relationType", item."address", item."zipCode", item."city",
            item."stateOrRegion", item."countryCode", item."webSite", item."vatNumber", item."mid",
            item."processingTypes", item."latitude", item."longitude", coalesce(item."state", 'active')
    from organization o
    cross join jsonb_to_recordset($2::jsonb) as item(id bigint, "name" text, "customId" text,
        "relationType" text, "address" text, "zipCode" text, "city" text, "stateOrRegion" text,
        "countryCode" text, "webSite" text, "vatNumber" text, "mid" text, "processingTypes" text,
        "latitude" double precision, "longitude" double precision, "state" text)
    where o.id = $1::bigint
    returning stored.id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- sub-suppliers.insert_contacts: Insert new contacts.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into sub_supplier_contact as stored (
        organization_id, id, sub_supplier_id, first_name, last_name, email, phone, role, fax_number,
            country_code,
        deleted_with_sub_supplier
    )
    select
        o.id,
        contact.id,
        item.id,
        contact."firstName",
        contact."lastName",
        contact.email,
        contact.phone,
        contact.role,
        contact."faxNumber",
        contact."countryCode",
        coalesce(item.state = 'deleted', false)
    from organization o
    cross join jsonb_to_recordset($2::jsonb) as item(id bigint, state text, contacts jsonb)
    cross join lateral jsonb_to_recordset(item.contacts) as contact(
        id bigint, "isNew" boolean, "firstName" text, "lastName" text, email text, phone text, role text,
        "faxNumber" text, "countryCode" text
    )
    where o.id = $1::bigint and contact."isNew"
    returning stored.sub_supplier_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- sub-suppliers.key_holders: Find the live records with own keys, for organizations whose own keys are unique.
--   $1::bigint organization_id
--   $2::text[] keys
-- Live records that have the own keys $2, where these are unique; with a parent, within records with the ids $3.
select id, custom_id as key, null::bigint as within_id
from sub_supplier
where organization_id = $1::bigint and custom_id = any($2::text[]) and state <> 'deleted';

-- sub-suppliers.shared_keys: Find own keys that several live records share, before they are made unique.
--   $1::bigint organization_id
--   $2::integer count
-- Own keys that several live records have, with the ids of some of these.
select custom_id as key, (array_agg(id order by id))[1:10] as ids
from sub_supplier
where organization_id = $1::bigint and custom_id is not null and state <> 'deleted'
group by custom_id, null::bigint
having count(*) > 1
order by custom_id, null::bigint
limit $2::integer;
