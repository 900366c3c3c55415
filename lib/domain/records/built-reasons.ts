/** What others can have built on a record. `linked_waiting`: only contributions that wait link to the record. Few people may know of these. */
export const builtReasons = ['linked', 'linked_waiting', 'claimed', 'commented', 'pictured', 'decided'] as const
export type BuiltReason = (typeof builtReasons)[number]
