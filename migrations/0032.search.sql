-- Search by words (contract, Search): an index of the words of each record's name and own keys.
--
-- The index holds lexemes such as '7:navy', the organization and a word, so that a search reads the entries of one
-- organization alone. Words are folded: without case, accents, ligatures and width, whatever the collation of the
-- database. The index is on an expression, so that an update that changes neither name nor keys costs nothing.

create function search_fold(value text) returns text language sql immutable strict parallel safe
return case
    when octet_length(value) = length(value) then lower(value collate "C")
    else replace(replace(replace(replace(translate(
        lower(regexp_replace(normalize(value, nfkd), '[\u0300-\u036f]+', '', 'g') collate "C"),
        'ÐØĐĦŁŊŦƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƢƤƦƧƩƬƮƱƲƳƵƷƸƼǤǶǷȜȠȢȤȺȻȽȾɁɃɄɅɆɈɊɌɎͰͲͶͿΑΕΗΙΟΥΩΒΓΔΖΘΚΛΜΝΞΠΡΣΤΦΧΨϏϘϚϜϞϠϢϤϦϨϪϬϮϷϺϽϾϿЕЂГЄЅІЈЉЊЋКИУЏАБВДЖЗЛМНОПРСТФХЦЧШЩЪЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӃӅӇӉӋӍӔӘӠӨӶӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖøłđðħıŧςĸÆŒÞẞ',
        'dodhlŋtɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵƣƥʀƨʃƭʈʊʋƴƶʒƹƽǥƕƿȝƞȣȥⱥȼƚⱦɂƀʉʌɇɉɋɍɏͱͳͷϳαεηιουωβγδζθκλμνξπρστφχψϗϙϛϝϟϡϣϥϧϩϫϭϯϸϻͻͼͽеђгєѕіјљњћкиуџабвджзлмнопрстфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӄӆӈӊӌӎӕәӡөӷӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆolddhitσkæœþß'
    ), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')
end;

comment on function search_fold is 'Text without differences of case, accents, ligatures and width.';

-- Words end after 200 characters: lexemes have a limit.
create function search_lexemes(organization_id bigint, value text) returns text[] language sql immutable strict
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

comment on function search_lexemes is 'Folded words of a text, each after the organization and a colon.';

create function search_vector(organization_id bigint, texts text[]) returns tsvector language sql immutable strict
parallel safe
return array_to_tsvector(search_lexemes(organization_id, array_to_string(texts, ' ')));

comment on function search_vector is 'Words of a record''s name and own keys, for the index.';

-- A text without a word matches nothing.
create function search_query(organization_id bigint, value text) returns tsquery language sql immutable strict
parallel safe
return (
    '''' || coalesce(nullif(array_to_string(search_lexemes(organization_id, value), ''':* & '''), ''), ':') || ''':*'
)::tsquery;

comment on function search_query is 'Query of records that have each word of a text, as the beginning of a word.';

create index brand_by_word on brand using gin (search_vector(organization_id, array[name, custom_id]));

create index care_instruction_by_word on care_instruction using gin (search_vector(organization_id, array[text, user_defined_id]));

create index care_instruction_material_by_word on care_instruction_material using gin (search_vector(organization_id, array[text, user_defined_id]));

create index color_by_word on color using gin (search_vector(organization_id, array[name, user_defined_id, user_defined_id2, color_reference]));

create index color_group_by_word on color_group using gin (search_vector(organization_id, array[name, user_defined_id]));

create index compliance_custom_field_by_word on compliance_custom_field using gin (search_vector(organization_id, array[name, user_defined_id]));

create index facility_by_word on facility using gin (search_vector(organization_id, array[name]));

create index item_by_word on item using gin (search_vector(organization_id, array[name, number]));

create index item_category_by_word on item_category using gin (search_vector(organization_id, array[name]));

create index sample_request_by_word on sample_request using gin (search_vector(organization_id, array[name]));

create index size_range_by_word on size_range using gin (search_vector(organization_id, array[name, user_defined_id]));

create index style_by_word on style using gin (search_vector(organization_id, array[name, number]));

create index style_category_by_word on style_category using gin (search_vector(organization_id, array[name, user_defined_id]));

create index style_custom_field_by_word on style_custom_field using gin (search_vector(organization_id, array[name, user_defined_id]));

create index style_group_by_word on style_group using gin (search_vector(organization_id, array[name, user_defined_id]));

create index sub_supplier_by_word on sub_supplier using gin (search_vector(organization_id, array[name, custom_id]));
