/** Texts of the way to the pages for administrators; see `admin-views.ts` for those of the pages. */
export const admin = {
  'title.admin': 'Administration',
  'admin.title': 'Administration',
  'admin.role.administrator': 'administrator',
  'admin.role.curator': 'curator',
  'admin.role.reviewer': 'reviewer',
  'admin.loading': 'Loading…',
  'admin.refused': 'This page is for administrators',
  'admin.refusedExplain': 'You are signed in, but not as an administrator of this service (403).',
} as const
