/** Why a field of an owner is null. */
export const ownerCauses = {
  mail_city: ['not_published_by_county'],
  mail_state: ['not_published_by_county'],
  total_amount: ['no_record_with_an_amount'],
} as const;
