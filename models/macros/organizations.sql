-- Which owners are organizations, by the published name alone. The rule is narrow: a name that could be a natural
-- person's does not count. docs/decisions.md has the reasons. A key is of lib/organizations.ts.

-- Fast first check of a published name: whether it may have a legal form at all.
CREATE OR REPLACE MACRO may_be_organization(name) AS regexp_matches(
  name,
  '(?i)\b(L\.?\s?L\.?\s?C|L\.?\s?L\.?\s?P|L\.?P|LTD|INC|CORP|COMPANY|LIMITED|BANK|CREDIT UNION|MORTGAGE|TRUST|ASS[NO])'
);

-- The kind of one key, or of one part of it; null if it has no legal form at its end.
CREATE OR REPLACE MACRO legal_form_of(key) AS CASE
  WHEN regexp_matches(key, '\b(BANK|CREDIT UNION)\b')
    AND regexp_matches(
      key,
      '\b(CREDIT UNION|BANK OF|BANK NA|BANK N A|BANK FSB|(NATIONAL|SAVINGS|FEDERAL|US) BANK|BANK USA'
      || '|NATIONAL ASSOCIATION|BANK( AND)? (TRUST|COMPANY))\b'
    )
    THEN 'bank'
  WHEN regexp_matches(key, '\bFEDERAL (NATIONAL|HOME LOAN) MORTGAGE (ASSOCIATION|CORP)\b') THEN 'bank'
  WHEN regexp_matches(
    key,
    '\b(ACQUISITION|ASSET|BUYOUT|CERTIFICATE|FUNDING|INVESTMENT|LOAN|MASTER|MORTGAGE|PARTICIPATION|SECURITIES|TITLING)'
    || '( \w+)? TRUST( (NO|SERIES|\w*\d\w*))*$|\bCOMMUNITY LAND TRUST$'
  )
    THEN 'trust'
  WHEN regexp_matches(key, '\w \w+ LP$|.\b(LLC|LLP|LLLP|PLLC|LTD|INC|CORP|LPA|COMPANY)( (SERIES|NO|\w*\d\w*|THE))*$')
    THEN 'company'
  WHEN regexp_matches(key, '\w \w+ ASSOCIATION$') THEN 'association'
END;

-- Words of natural persons, of their estates, and of owners in another's name.
CREATE OR REPLACE MACRO names_a_person(key) AS
  regexp_matches(
    key,
    '\b(ETAL|ET AL|ETUX|ET UX|ETVIR|ET VIR|EST(ATE)? OF|HEIRS?|LIFE ESTATE|DECEASED|DECD|DBA|D B A|AKA|A K A|FKA|C O'
    || '|CARE OF|ATTN|JR|SR|MR|MRS|MS|HUSBAND|WIFE|SPOUSE|SURVIVORSHIP|JTWROS|UNKNOWN|CO TRUSTEES?|TTEES?|TRS?'
    || '|UAD|U A|U W|DTD|DATED)\b'
  )
  OR (
    regexp_matches(key, '\bTRUST\b')
    AND regexp_matches(key, '\b(FAMILY|LIVING|REV|REVOCABLE|IRREVOCABLE|TESTAMENTARY|INTER VIVOS|SPECIAL NEEDS)\b')
  )
  -- A trustee may hold for a person: only trusts of loans or securities are known not to
  OR (
    regexp_matches(key, '\bTRUSTEES?\b')
    AND NOT regexp_matches(key, '\b(MORTGAGE|LOAN|CERTIFICATES?|SECURITIES|ACQUISITION|ASSET|FUNDING|PASS THROUGH)\b')
  );

-- Public bodies own land as part of their work: their distressed parcels are no leads for a buyer.
CREATE OR REPLACE MACRO names_a_public_body(key) AS regexp_matches(
  key,
  '^(THE )?(CITY|COUNTY|STATE|VILLAGE|TOWN|TOWNSHIP|BOROUGH|BOARD|BUREAU|DEPARTMENT|DEPT|SECRETARY) OF\b'
  || '|\b(CITY|COUNTY|TOWNSHIP|VILLAGE)$|\bUNITED STATES\b|\bLAND (BANK|REUTILIZATION|REVITALIZATION|CLEARANCE)\b'
  || '|\b(HOUSING|PORT|REDEVELOPMENT|TRANSIT|SEWER|WATER|TRANSPORTATION) AUTHORITY\b|\bSCHOOL DISTRICT\b|\bHUD\b'
);

-- The parts of a key that AND joins. A list joins the owners of a parcel in this way, and names have it too.
CREATE OR REPLACE MACRO joined_names(key) AS string_split(key, ' AND ');

-- company, bank, trust or association; null for natural persons, family trusts, public bodies, and doubtful names.
-- Among joined names the last has a legal form, and each other one has one too or is a single word ("R AND R PROPERTIES
-- LLC"): "SMITH JOHN AND ACME LLC" is a person and a company.
CREATE OR REPLACE MACRO organization_kind(key) AS CASE
  WHEN names_a_person(key) OR names_a_public_body(key) THEN NULL
  WHEN len(list_filter(
    joined_names(key)[:-2],
    lambda part: contains(part, ' ') AND legal_form_of(part) IS NULL
  )) > 0
    THEN NULL
  WHEN contains(key, ' AND ') AND legal_form_of('X ' || joined_names(key)[-1]) IS NULL THEN NULL
  ELSE legal_form_of(key) END;

-- The first letters of a name or a key, to look for its key among millions of names. Equal for names with equal keys of
-- two letters and more before the legal form.
CREATE OR REPLACE MACRO first_letters(name) AS
  left(translate(replace(upper(strip_accents(name)), '&', 'AND'), ' .,;-/()''’`"', ''), 3);

-- The agent that a name means: spellings that differ only in case and punctuation are one.
CREATE OR REPLACE MACRO agent_of(name) AS upper(regexp_replace(name, '[^A-Za-z0-9]+', ' ', 'g'));
