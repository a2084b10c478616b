import { describe, expect, it } from 'vitest'
import { findAccessLimits } from '../../core/contract/access-limits.ts'

const euRights = 'http://publications.europa.eu/resource/authority/access-right'
const now = '2026-11-22T12:00:00Z'
const found = (document: object) => findAccessLimits({ ...document }, now)

describe('a document that says its files are not for everybody', () => {
  it.for([
    [{ access_right: 'embargoed', embargo_date: '2030-01-01' }, '/access_right', '2030-01-01'],
    [{ access_right: 'Embargoed' }, '/access_right', undefined],
    [{ access_right: 'embargoed', embargo_date: 'soon' }, '/access_right', undefined],
    [{ access_right: 'restricted' }, '/access_right', undefined],
    [{ access_right: 'closed', embargo_date: '2020-01-01' }, '/access_right', undefined],
    [{ embargo_date: '2026-11-23' }, '/embargo_date', '2026-11-23'],
    [{ embargo_date: 2027 }, '/embargo_date', '2027-12-31'],
    [{ access: 'restricted' }, '/access', undefined],
    [{ access: { files: 'restricted' } }, '/access', undefined],
    [{ access: { files: 'restricted', until: '2030-01-01' } }, '/access', '2030-01-01'],
    [{ access: { record: 'restricted', files: 'public' } }, '/access', undefined],
    [
      { access: { record: 'public', files: 'public', status: 'metadata-only' } },
      '/access',
      undefined,
    ],
    [
      { access: { files: 'public', embargo: { active: true, until: '2031-02-03' } } },
      '/access',
      '2031-02-03',
    ],
    [{ metadata: { access_right: 'closed' } }, '/metadata', undefined],
    [{ embargoDate: '2030-05-05' }, '/embargoDate', '2030-05-05'],
    [{ embargoEndDate: '2030-05-05' }, '/embargoEndDate', '2030-05-05'],
    [{ isAccessibleForFree: false }, '/isAccessibleForFree', undefined],
    [{ conditionsOfAccess: 'Restricted: ask us.' }, '/conditionsOfAccess', undefined],
    [{ rights: ['info:eu-repo/semantics/embargoedAccess'] }, '/rights', undefined],
    [
      { rightsList: [{ rightsUri: 'http://purl.org/coar/access_right/c_16ec' }] },
      '/rightsList',
      undefined,
    ],
    [
      { accessRights: { '@id': 'info:eu-repo/semantics/closedAccess' } },
      '/accessRights',
      undefined,
    ],
    [{ dates: [{ type: 'available', date: '2030-01-01' }] }, '/dates', '2030-01-01'],
    [{ embargo: { active: true, until: '2030-01-01' } }, '/embargo', '2030-01-01'],
    [{ embargo_until: '2030-01-01' }, '/embargo_until', '2030-01-01'],
    [{ 'Embargo Date': '2030-01-01' }, '/Embargo Date', '2030-01-01'],
    [{ Access_Right: 'embargoed' }, '/Access_Right', undefined],
    [{ access_right: ['embargoed'] }, '/access_right', undefined],
    [{ access_right: { id: 'embargoed' } }, '/access_right', undefined],
    [{ access: { embargo_date: '2030-01-01' } }, '/access', '2030-01-01'],
    [{ access: { right: 'embargoed' } }, '/access', undefined],
    [{ 'access.files': 'restricted' }, '/access.files', undefined],
    [{ rights: 'embargoed' }, '/rights', undefined],
    [{ visibility: 'private' }, '/visibility', undefined],
    [{ visibility: 'hidden' }, '/visibility', undefined],
    [
      { conditionsOfAccess: 'Not restricted in 2030, confidential now' },
      '/conditionsOfAccess',
      undefined,
    ],
    [{ rights: 'restricted_access' }, '/rights', undefined],
    [{ accessRights: { '@id': `${euRights}/NON_PUBLIC` } }, '/accessRights', undefined],
    [{ accessRights: `${euRights}/NON_PUBLIC` }, '/accessRights', undefined],
    [{ accessRights: `${euRights}/RESTRICTED` }, '/accessRights', undefined],
    [{ dateAvailable: '2030-01-01' }, '/dateAvailable', '2030-01-01'],
    [{ confidential: true }, '/confidential', undefined],
  ] as const)('%j is found', ([document, field, until]) => {
    const [first] = found(document)
    expect([first?.field, first?.until]).toEqual([field, until])
  })
})

describe('a document that does not', () => {
  it.for([
    {},
    { access_right: 'open' },
    { access_right: '' },
    { access_right: null },
    { access_right: 'embargoed', embargo_date: '2026-11-22' },
    { embargo_date: '2020-01-01' },
    { embargo: false },
    { embargo: 'none' },
    { embargo: { active: false, until: '2030-01-01' } },
    { confidential: false },
    { visibility: 'public' },
    { visibility: '10 km' },
    { accessRights: `${euRights}/PUBLIC` },
    { accessRights: { '@id': `${euRights}/PUBLIC` } },
    { access_right: 'http://purl.org/coar/access_right/c_abf2' },
    { access: 'unrestricted' },
    { access_right: 'open_access' },
    { rights: 'Unrestricted access' },
    { conditionsOfAccess: 'No embargo' },
    { conditionsOfAccess: 'The data are no longer embargoed.' },
    { available: 'on request at the desk' },
    { access: 'public' },
    { access: {} },
    { access: { files: 'public', record: 'public', embargo: { active: false, reason: null } } },
    { access: { files: 'restricted', until: '2026-11-22' } },
    { isAccessibleForFree: true },
    { conditionsOfAccess: 'unrestricted' },
    { rights: ['info:eu-repo/semantics/openAccess', 'CC-BY-4.0'] },
    { dates: [{ type: 'available', date: '2020' }, { type: 'collected', date: '2030' }, 'x'] },
    { metadata: 'x' },
  ])('%j is let through', (document) => {
    expect(found(document)).toEqual([])
  })
})
