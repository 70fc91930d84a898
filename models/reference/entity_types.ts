import { defineRecord, oneOf, text } from '../../lib/record.ts';
import { ENTITY_TYPES } from '../marts/filings.ts';

/**
 * Meaning of the registers' type codes. Ohio's code is the number of the report file, which determines the type;
 * Colorado's is that of dataset 4ykn-tg5h. DT is a ditch company in the state's own exports, though one public list
 * calls it a trust. Any other code is published as "other", with its raw text.
 */
export default defineRecord('entity_type', 'One row per register and type code.', ['register', 'code'], {
  register: oneOf(['ohio_sos', 'colorado_sos'], 'The register.'),
  code: text("The register's own code."),
  entity_type: oneOf(ENTITY_TYPES, 'Normalized type.'),
});
