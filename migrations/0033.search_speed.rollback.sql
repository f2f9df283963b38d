drop function search_rank;

create or replace function search_vector(organization_id bigint, texts text[]) returns tsvector language sql immutable strict
parallel safe
return array_to_tsvector(search_lexemes(organization_id, array_to_string(texts, ' ')));

create or replace function search_lexemes(organization_id bigint, value text) returns text[] language sql immutable strict
parallel safe
return array_remove(
    string_to_array(
        ltrim(regexp_replace(
            regexp_replace(
                regexp_replace(
                    ' ' || search_fold(value),
                    '[\u0001-/:-@\[-`{-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u2000-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e2e\u2e30-\u2e7f\u3000-\u3004\u3008-\u3020\u3030\u303d-\u303f\ufe10-\ufe1f\ufe30-\ufe6f\ufffc\ufffd\U0001f000-\U0001faff]+',
                    ' ', 'g'
                ),
                '([^ ]{200})[^ ]+', '\1', 'g'
            ),
            ' +', ' ' || organization_id || ':', 'g'
        )),
        ' '
    ),
    organization_id || ':'
);

alter function search_fold(text) strict;
