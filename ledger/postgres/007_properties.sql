-- A claim takes a property: no other lead of it is sold. Claims of an older version get theirs from a snapshot.
CREATE TABLE claimed_properties (
  purchase_id  text COLLATE "C" NOT NULL REFERENCES purchases (id) ON DELETE CASCADE,
  property_key text COLLATE "C" NOT NULL,
  -- 1 until the purchase is released.
  standing     integer CHECK (standing = 1),
  PRIMARY KEY (purchase_id, property_key)
);
-- A property belongs to one purchase until it is released.
CREATE UNIQUE INDEX claim_of_property ON claimed_properties (property_key) WHERE standing = 1;

-- Properties of the leads in withheld_leads.
CREATE TABLE withheld_properties (
  property_key text COLLATE "C" NOT NULL PRIMARY KEY,
  lead_id      text COLLATE "C" NOT NULL
);
