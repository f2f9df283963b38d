-- Faster functions of the search. Those of 0032 have the same results as before, so that the indexes stay.
--
-- A function in SQL that PostgreSQL does not put into the query starts an executor for each row; PL/pgSQL keeps its
-- plans. search_fold is put into the expressions of the other functions since it is no longer strict: null still gives
-- null. It is not put into queries, which would take longer to plan than to run: search_rank calls it. PL/pgSQL looks
-- up names when it runs: search_vector sets the path, because maintenance of indexes has a path of its own.

alter function search_fold(text) called on null input;

create or replace function search_lexemes(organization_id bigint, value text) returns text[] language plpgsql immutable
strict parallel safe as $$
declare
    prefix text := organization_id || ':';
    words text := btrim(regexp_replace(
        search_fold(value),
        '[\u0001-/:-@\[-`{-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e2e\u2e30-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\u303d-\u303f\ufe10-\ufe1f\ufe30-\ufe6f\ufffc\ufffd\U0001f000-\U0001faff]+',
        ' ', 'g'
    ));
begin
    if words = '' then
        return array[]::text[];
    end if;
    if length(words) > 200 then
        words := regexp_replace(words, '([^ ]{200})[^ ]+', '\1', 'g');
    end if;
    return string_to_array(prefix || replace(words, ' ', ' ' || prefix), ' ');
end $$;

create or replace function search_vector(organization_id bigint, texts text[]) returns tsvector language plpgsql immutable
strict parallel safe set search_path from current as $$
begin
    return array_to_tsvector(search_lexemes(organization_id, array_to_string(texts, ' ')));
end $$;

create function search_rank(query text, name text, keys text[]) returns integer language plpgsql immutable
strict parallel safe as $$
declare
    folded text := search_fold(query);
    key text;
    rank integer := 3;
begin
    foreach key in array keys loop
        key := search_fold(key);
        if key = folded then
            return 0;
        elsif starts_with(key, folded) then
            rank := 1;
        end if;
    end loop;
    if rank = 3 and starts_with(search_fold(name), folded) then
        return 2;
    end if;
    return rank;
end $$;

comment on function search_rank is 'Rank of a record: 0 its key is the text, 1 a key begins with it, 2 the name does, 3 neither.';
