import { describe, expect, it } from 'vitest'
import { findAccessLimits } from '../../core/contract/access-limits.ts'

/** What is open beside it: access-open.test.ts. */
describe('access is limited by a flag, an audience, a grade of secrecy or a release to come', () => {
  it.for([
    [{ audience: 'internal' }, '/audience'],
    [{ intended_audience: ['Staff only'] }, '/intended_audience'],
    [{ audience: { audienceType: 'internal use only' } }, '/audience'],
    [{ classification: 'confidential' }, '/classification'],
    [{ securityClassification: 'Top Secret' }, '/securityClassification'],
    [{ dissemination_level: 'Strictly confidential' }, '/dissemination_level'],
    [{ Einstufung: 'vertraulich' }, '/Einstufung'],
    [{ classification: 'Not for public release' }, '/classification'],
    [{ file_access: false }, '/file_access'],
    [{ accesFichiers: 'non' }, '/accesFichiers'],
    [{ allow_access: 'no' }, '/allow_access'],
    [{ Zugang: 'nein' }, '/Zugang'],
    [{ Zugriffsbeschränkung: 'ja' }, '/Zugriffsbeschränkung'],
    [{ published: false }, '/published'],
    [{ is_published: 0 }, '/is_published'],
    [{ unpublished: true }, '/unpublished'],
    [{ share: false }, '/share'],
    [{ data_shared: 'no' }, '/data_shared'],
    [{ downloadable: false }, '/downloadable'],
    [{ metadata: { released: false } }, '/metadata/released'],
    [{ request_access: true }, '/request_access'],
    [{ accessRequest: true }, '/accessRequest'],
    [{ access_requires_approval: 'yes' }, '/access_requires_approval'],
    [{ login_required: true }, '/login_required'],
    [{ release: '2030-01-01' }, '/release'],
    [{ release: '1 January 2030' }, '/release'],
    [{ release: 'embargoed' }, '/release'],
    [{ release: false }, '/release'],
    [{ accessType: 'download for members only' }, '/accessType'],
    [{ accessType: 'safeguarded' }, '/accessType'],
  ] as const)('%j is found', ([document, field]) => {
    const found = findAccessLimits({ ...document }, '2026-11-22T12:00:00Z')
    expect(found.map((limit) => limit.field)).toEqual([field])
  })

  it.for([
    { release: '2030-01-01' },
    { release: '1 January 2030' },
    { release: '2030-01-01T00:00:00Z' },
  ])('%j says until when', (document) => {
    const [limit] = findAccessLimits(document, '2026-11-22T12:00:00Z')
    expect(limit?.until).toBe('2030-01-01')
  })
})

const leaks = [
  'open within the consortium',
  'open for project partners',
  'unrestricted for staff',
  'free with registration',
  'public metadata only',
  'open (in 2030)',
  'not unrestricted',
  'public within the institute',
  'no restriction for members',
  'public after review',
  'open access planned',
  'open?',
  'open?? ask Maria',
  'open once accepted',
  'no restrictions for members',
]
describe('a text that is not wholly understood as open', () => {
  it.for(leaks.map((access) => ({ access })))('%j is found', (document) => {
    expect(findAccessLimits({ ...document }, '2026-11-22T12:00:00Z')).toHaveLength(1)
  })
  it.for([
    { open: 'false' },
    { is_public: 'N' },
    { public: 'N' },
    { 'Open Access?': 'N' },
    { is_public: 'f' },
    { internal: 'x' },
    { embargo: '2026-11-22T23:59:59Z' },
    { embargo_date: '2026-11-22T23:00:00+00:00' },
    { Zugriff: 'nur intern' },
    { conditionsOfAccess: 'By application to the data access committee' },
    { access_conditions: 'Only with approval of the ethics committee' },
    { restrictions: 'yes, see DUA' },
    { accesso: 'chiuso' },
    { vertraulichkeit: 'intern' },
    { confidentiality: 'high' },
    { sensitivity: 'sensitive' },
    { available_from: 'next year' },
    { not_public: true },
    { nopublish: true },
    { public: 'from 2030' },
    { public: 'never' },
    { public: 'not yet' },
    { public: '2030-01-01' },
    { published_from: '2030-01-01' },
    { publish_on: '2031-02-01' },
    { holdDate: '2031-01-01' },
    { internal_use_only: 'yes' },
    { status: 'confidential' },
    { MD_ClassificationCode: 'secret' },
    { Öffentlich: false },
    { geheim: true },
    { restrcted: true },
    { hidden: true },
    { listed: false },
    { requiresAuth: true },
    { restrictedUse: true },
    { tlp: 'RED' },
    { acl: 'private' },
    { dissemination_level: 'CO' },
    { アクセス権: '制限' },
    { доступ: 'закрытый' },
    { 访问权限: '受限' },
  ])('%j limits access', (document) => {
    expect(findAccessLimits({ ...document }, '2026-11-22T12:00:00Z')).toHaveLength(1)
  })
})
