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
    [{ acces_right: 'restricted' }, '/acces_right', undefined],
    [{ acess_rights: 'embargoed' }, '/acess_rights', undefined],
    [{ embago_date: '2030-01-01' }, '/embago_date', '2030-01-01'],
    [{ date_availble: '2030-01-01' }, '/date_availble', '2030-01-01'],
    [{ status: 'embargoed' }, '/status', undefined],
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
      '/access/embargo',
      '2031-02-03',
    ],
    [{ metadata: { access_right: 'closed' } }, '/metadata/access_right', undefined],
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
    [{ access: { embargo_date: '2030-01-01' } }, '/access/embargo_date', '2030-01-01'],
    [{ access: { right: 'embargoed' } }, '/access/right', undefined],
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
    [{ access: { type: 'embargoed', until: '2030-01-01' } }, '/access', '2030-01-01'],
    [{ access: { until: '2030-01-01' } }, '/access', '2030-01-01'],
    [{ access: { files: 'public', until: '2030-01-01' } }, '/access', '2030-01-01'],
    [{ access: { files: 'public', until: 'soon' } }, '/access', undefined],
    [{ access: { level: 'restricted' } }, '/access', undefined],
    [{ access: { files: { until: '2030-01-01' } } }, '/access', '2030-01-01'],
    [{ access: { record: { until: '2030-01-01' } } }, '/access', '2030-01-01'],
    [{ access: { right: 'embargoed', until: '2030-01-01' } }, '/access', '2030-01-01'],
    [
      { access: { right: 'embargoed', until: '2020-01-01', embargo_date: '2030-01-01' } },
      '/access/right',
      '2030-01-01',
    ],
    [{ access: { right: 'restricted', until: '2020-01-01' } }, '/access/right', undefined],
    [{ release_date: '2030-01-01' }, '/release_date', '2030-01-01'],
    [{ 'Release Date': '2030' }, '/Release Date', '2030-01-01'],
    [{ publish_after: '2030-01-01' }, '/publish_after', '2030-01-01'],
    [{ metadata: { publishAfter: '2030-01-01' } }, '/metadata/publishAfter', '2030-01-01'],
    [{ open_from: '2030-01-01' }, '/open_from', '2030-01-01'],
    [{ sperrfrist: '2030-01-01' }, '/sperrfrist', '2030-01-01'],
    [{ Sperrfrist: '2 Jahre' }, '/Sperrfrist', undefined],
    [{ extras: [{ key: 'embargo_date', value: '2030-01-01' }] }, '/extras/0/value', '2030-01-01'],
    [
      {
        extras: [
          { key: 'contact', value: 'Ada' },
          { key: 'access_right', value: 'embargoed' },
        ],
      },
      '/extras/1/value',
      undefined,
    ],
    [{ extras: [{ key: 'release_date', value: '2030-01-01' }] }, '/extras/0/value', '2030-01-01'],
    [
      { access: { files: 'public', embargo: { until: '2030-01-01' } } },
      '/access/embargo',
      '2030-01-01',
    ],
    [{ embargo: { dateAvailable: '2030-01-01', reason: 'paper' } }, '/embargo', '2030-01-01'],
    [{ embargo: { startDate: '2020-01-01', endDate: '2030-01-01' } }, '/embargo', '2030-01-01'],
    [{ embargo: { end_date: '2030-01-01' } }, '/embargo', '2030-01-01'],
    [{ embargo: { reason: 'paper' } }, '/embargo', undefined],
    [{ embargo: ['2020-01-01', '2030-01-01'] }, '/embargo', '2030-01-01'],
    [{ embargo: '2020-01-01/2030-01-01' }, '/embargo', '2030-01-01'],
    [{ dates: [{ date: '2030-01-01', dateType: 'Available' }] }, '/dates', '2030-01-01'],
    [{ dates: [{ date: '2030-01-01', type: { id: 'available' } }] }, '/dates', '2030-01-01'],
    [{ dates: [{ type: 'available', date: '2030-01-01/2031-01-01' }] }, '/dates', '2030-01-01'],
    [{ dates: [{ type: 'available', date: 'next spring' }] }, '/dates', undefined],
    [{ accessLevel: 'non-public' }, '/accessLevel', undefined],
    [{ 'dct:accessRights': { '@id': `${euRights}/NON_PUBLIC` } }, '/dct:accessRights', undefined],
    [{ 'dcterms:available': '2030-01-01' }, '/dcterms:available', '2030-01-01'],
    [{ 'dcterms:accessRights': 'restricted' }, '/dcterms:accessRights', undefined],
    [
      { 'http://purl.org/dc/terms/accessRights': 'restricted' },
      '/http:~1~1purl.org~1dc~1terms~1accessRights',
      undefined,
    ],
    [{ is_embargoed: true }, '/is_embargoed', undefined],
    [{ is_confidential: true }, '/is_confidential', undefined],
    [{ isEmbargoed: true }, '/isEmbargoed', undefined],
    [{ under_embargo: 'yes' }, '/under_embargo', undefined],
    [{ end_of_embargo: '2030-01-01' }, '/end_of_embargo', '2030-01-01'],
    [{ date_embargo: '2030-01-01' }, '/date_embargo', '2030-01-01'],
    [{ embargo_until: '01/31/2030' }, '/embargo_until', '2030-01-31'],
    [{ embargo_period: '12 months' }, '/embargo_period', undefined],
    [{ embargo: { until: 'soon', created: '2020-01-01' } }, '/embargo', undefined],
    [{ embargo_date: 'soon', embargo_until: '2020-01-01' }, '/embargo_date', undefined],
    [{ embargo: 'over 12 months' }, '/embargo', undefined],
    [{ embargo: 'lifted when the paper is out' }, '/embargo', undefined],
    [{ embargo_until: 'December 2026' }, '/embargo_until', '2026-12-31'],
    [{ embargo_lifted: '2030-01-01' }, '/embargo_lifted', '2030-01-01'],
    [{ conditionsOfAccess: 'The embargo will be lifted' }, '/conditionsOfAccess', undefined],
    [{ open_access: false }, '/open_access', undefined],
    [{ closedAccess: true }, '/closedAccess', undefined],
    [{ files: [{ restricted: true }] }, '/files/0/restricted', undefined],
    [
      { 'schema:isAccessibleForFree': { '@value': false } },
      '/schema:isAccessibleForFree',
      undefined,
    ],
    [{ embargo_date: { '@value': '2030-01-01' } }, '/embargo_date', '2030-01-01'],
    [{ date: { dateType: 'Available', date: '2030-01-01' } }, '/date', '2030-01-01'],
    [{ dates: { available: '2030-01-01' } }, '/dates/available', '2030-01-01'],
    [{ extra: { public: false } }, '/extra/public', undefined],
    [{ rights: 'metadata only access' }, '/rights', undefined],
    [{ access: [{ until: '2030-01-01' }] }, '/access', '2030-01-01'],
    [{ embargo_lifted: false }, '/embargo_lifted', undefined],
    [{ embargo: 'lifted in 2030' }, '/embargo', undefined],
    [{ embargo_start: '2020-01-01' }, '/embargo_start', undefined],
    [{ embargo_reason: 'paper' }, '/embargo_reason', undefined],
    [{ access_level: 'restricted' }, '/access_level', undefined],
    [{ accessType: 'Embargoed' }, '/accessType', undefined],
    [{ access_type: 'controlled' }, '/access_type', undefined],
    [{ access_status: 'closed' }, '/access_status', undefined],
    [{ accessStatus: 'metadata-only' }, '/accessStatus', undefined],
    [{ access_conditions: 'Confidential' }, '/access_conditions', undefined],
    [{ termsOfAccess: 'Restricted to members' }, '/termsOfAccess', undefined],
    [{ license: 'info:eu-repo/semantics/closedAccess' }, '/license', undefined],
    [{ custom: { embargo_date: '2030-01-01' } }, '/custom/embargo_date', '2030-01-01'],
    [
      { '@graph': [{ name: 'x' }, { conditionsOfAccess: 'Restricted' }] },
      '/@graph/1/conditionsOfAccess',
      undefined,
    ],
    [{ restricted: true }, '/restricted', undefined],
    [{ public: false }, '/public', undefined],
    [{ isPublic: 'no' }, '/isPublic', undefined],
    [{ acces: 'restricted' }, '/acces', undefined],
    [{ rights: 'Embargo until 2030-01-01' }, '/rights', '2030-01-01'],
    [{ file_access: 'restricted' }, '/file_access', undefined],
    [{ access_restricted: true }, '/access_restricted', undefined],
    [{ access_restricted: 'true' }, '/access_restricted', undefined],
    [
      { access_condition: 'restricted to members of the consortium' },
      '/access_condition',
      undefined,
    ],
    [{ 'dcterms.accessRights': 'restricted' }, '/dcterms.accessRights', undefined],
    [{ 'dc.rights': 'restrictedAccess' }, '/dc.rights', undefined],
    [{ 'DC.rights': 'embargoedAccess' }, '/DC.rights', undefined],
    [{ 'dc.rights.accessRights': 'embargoedAccess' }, '/dc.rights.accessRights', undefined],
    [{ 'dc.rights.uri': 'info:eu-repo/semantics/restrictedAccess' }, '/dc.rights.uri', undefined],
    [{ conditionsOfAccess: 'Available on request' }, '/conditionsOfAccess', undefined],
    [{ license: 'All rights reserved; embargoed until 2030' }, '/license', undefined],
    [{ restrictions: 'No access before 2030' }, '/restrictions', '2030-12-31'],
    [{ files_access: 'restricted' }, '/files_access', undefined],
    [{ restricted_files: true }, '/restricted_files', undefined],
    [{ files_restricted: 'yes' }, '/files_restricted', undefined],
    [{ access_restriction: 'consortium only' }, '/access_restriction', undefined],
    [{ dataset_access: 'private' }, '/dataset_access', undefined],
    [{ dataAccess: 'controlled' }, '/dataAccess', undefined],
    [{ data_access: 'Controlled access (dbGaP)' }, '/data_access', undefined],
    [{ accesRight: 'clsoed' }, '/accesRight', undefined],
    [{ file_acess: 'restricted' }, '/file_acess', undefined],
    [{ parent: { access: { files: 'restricted' } } }, '/parent/access', undefined],
    [
      { DataCite: { rightsList: [{ rights: 'Restricted Access' }] } },
      '/DataCite/rightsList',
      undefined,
    ],
    [{ study: { access: { files: 'restricted' } } }, '/study/access', undefined],
    [{ rights: 'Access restricted to members' }, '/rights', undefined],
    [{ sharing: 'private' }, '/sharing', undefined],
    [{ 'dc.date.available': '2030-01-01' }, '/dc.date.available', '2030-01-01'],
    [{ 'dcterms.available': '2030-01-01' }, '/dcterms.available', '2030-01-01'],
    [{ on_request: true }, '/on_request', undefined],
    [{ metadata_only: true }, '/metadata_only', undefined],
    [{ availability: 'on request' }, '/availability', undefined],
    [
      { dataAvailability: 'Available from the authors upon request.' },
      '/dataAvailability',
      undefined,
    ],
    [{ oa_status: 'closed' }, '/oa_status', undefined],
    [{ is_oa: false }, '/is_oa', undefined],
    [{ openness: 'closed' }, '/openness', undefined],
    [{ accessibility: 'restricted' }, '/accessibility', undefined],
    [{ moratorium: '2030-01-01' }, '/moratorium', '2030-01-01'],
    [{ hold_until: '2099-01-01' }, '/hold_until', '2099-01-01'],
    [{ not_before: '2099-01-01' }, '/not_before', '2099-01-01'],
    [{ do_not_publish: true }, '/do_not_publish', undefined],
    [{ internal_only: true }, '/internal_only', undefined],
    [{ gated: true }, '/gated', undefined],
    [{ sensitivity: 'confidential' }, '/sensitivity', undefined],
    [{ Zugang: 'gesperrt bis 2030' }, '/Zugang', '2030-12-31'],
    [{ Zugriffsrecht: 'eingeschränkt' }, '/Zugriffsrecht', undefined],
    [{ accès: 'restreint' }, '/accès', undefined],
    [{ droits_acces: 'restreint' }, '/droits_acces', undefined],
    [{ derechos_de_acceso: 'restringido' }, '/derechos_de_acceso', undefined],
    [{ access: 'frei ab 2030' }, '/access', '2030-01-01'],
    [{ access: 'nicht öffentlich' }, '/access', undefined],
    [{ access: '非公開' }, '/access', undefined],
    [{ access: 'formerly open, now restricted' }, '/access', undefined],
    [{ file_access: 'Confidential; was open until 2020' }, '/file_access', undefined],
    [{ accessRights: 'Open metadata, restricted files' }, '/accessRights', undefined],
    [{ accessRights: 'Public metadata, private files' }, '/accessRights', undefined],
    [{ conditionsOfAccess: 'Open in 2030, under embargo now' }, '/conditionsOfAccess', undefined],
    [{ conditionsOfAccess: 'Not open but restricted' }, '/conditionsOfAccess', undefined],
    [{ conditionsOfAccess: 'Not yet public' }, '/conditionsOfAccess', undefined],
  ] as const)('%j is found', ([document, field, until]) => {
    const [first] = found(document)
    expect([first?.field, first?.until]).toEqual([field, until])
  })
})

it('tells the day on which the files are available', () => {
  expect(found({ dateAvailable: '2030-01-01' })[0]?.message).toContain(
    'dateAvailable is "2030-01-01", which limits access until 2030-01-01',
  )
})

describe('the message quotes the field and its value', () => {
  it.for([
    [{ secret: true }, 'secret is true, which'],
    [
      { embargo: { active: true, until: '2030-01-01' } },
      'embargo is {active: true, until: "2030-01-01"}, which',
    ],
    [{ access_right: ['restricted'] }, 'access_right is ["restricted"], which'],
    [{ 'Open Access?': 'N' }, 'Open Access? is "N", which'],
    [
      { extras: [{ key: 'embargo_date', value: '2030-01-01' }] },
      'embargo_date is "2030-01-01", which',
    ],
    [
      { rights: ['a', 'b', 'c', 'd', 'e', 'embargoed'] },
      'rights says "embargoed", which limits access, and publishing makes the files public.',
    ],
    [{ embargo: { until: { by: { whom: { from: 1 } } } } }, 'embargo is {until: {by: {whom: …}}}, which'],
  ] as const)('%j', ([document, words]) => {
    expect(found(document)[0]?.message).toContain(words)
    expect(found(document)[0]?.message).toMatch(/open, write in place of the field: access: open$/)
  })
  it.for([
    {
      custom: Object.fromEntries(
        Array.from({ length: 1e4 }, (_, n) => [`embargo_${n}`, 'x'.repeat(50)]),
      ),
    },
    {
      embargo: Object.fromEntries(
        Array.from({ length: 1e4 }, (_, n) => [`until${n}`, 'x'.repeat(500)]),
      ),
    },
    { access: 'restricted '.repeat(1e4) },
  ])('in at most a few lines', (document) => {
    for (const { message } of found(document)) expect(message.length).toBeLessThan(600)
  })
})

describe('a document of the largest size', () => {
  const many = 100_000
  it.for([
    ['fields that limit access', () => Array.from({ length: many }, () => ({ embargo: 1 })), 100],
    ['blanks before a word', () => ({ conditionsOfAccess: `${' '.repeat(1e6)}embargo` }), 1],
    [
      'one name in many spellings',
      () =>
        Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`${'_'.repeat(n)}right`, ''])),
      0,
    ],
    ['a long text', () => ({ availability: 'on-on-by on request-'.repeat(5e4) }), 1],
    [
      'a long text that begins open',
      () => ({ file_access: 'open until member no '.repeat(5e4) }),
      1,
    ],
    [
      'names of access',
      () => Object.fromEntries(Array.from({ length: 5e4 }, (_, n) => [`acces_${n}_right`, ''])),
      0,
    ],
    [
      'objects in objects',
      () => {
        const deepest: object = { embargo: true }
        return Array.from({ length: many }).reduce<object>((inner) => ({ access: inner }), deepest)
      },
      1,
    ],
  ] as const)('is read with %s', ([, make, limits]) => {
    expect(found({ custom: make() })).toHaveLength(limits)
  })
})
