/** The sorts of labels: traditional knowledge, biocultural, notices of institutions, and words of a community of its own. */
export const labelSorts = ['tk', 'bc', 'notice', 'community'] as const

/** The code of a label whose words are the community's own. */
export const OWN_LABEL = 'community'

/** The codes of all labels, in the order of the vocabulary. Never take one away: stored labels have it. */
export const labelCodes = [
  'tk_a',
  'tk_cl',
  'tk_f',
  'tk_mc',
  'tk_cv',
  'tk_cr',
  'tk_v',
  'tk_nv',
  'tk_s',
  'tk_wg',
  'tk_mg',
  'tk_wr',
  'tk_mr',
  'tk_cs',
  'tk_ss',
  'tk_oc',
  'tk_nc',
  'tk_co',
  'tk_o',
  'tk_cb',
  'bc_p',
  'bc_mc',
  'bc_cl',
  'bc_cv',
  'bc_cnv',
  'bc_r',
  'bc_o',
  'bc_oc',
  'bc_nc',
  'bc_cb',
  'tk_notice',
  'bc_notice',
  'attribution_incomplete',
  'open_to_collaborate',
  'authorization',
  'belonging',
  'caring',
  'gender_aware',
  'leave_undisturbed',
  'safety',
  'viewing',
  'withholding',
  OWN_LABEL,
] as const
export type LabelCode = (typeof labelCodes)[number]
