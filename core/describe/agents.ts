import { contributorTypes, termOf } from '../contract/datacite.ts'
import { splitName, toParts } from '../contract/person-names.ts'
import { isJsonObject, type Json } from '../base/json.ts'
import type { Agent, Contributor, Funding, Organization } from './description.ts'
import { doiOf, doiUrl, rorOf } from './identifiers.ts'
import { lineOf, listOf, objectsOf, webAddress } from './values.ts'

/** A person or an organization; none without a name. */
export function toAgent(value: Json): readonly Agent[] {
  if (!isJsonObject(value)) {
    const name = lineOf(value)
    return name === undefined ? [] : [agentOf(name, {})]
  }
  const [given, family] = [lineOf(value['given_name']), lineOf(value['family_name'])]
  const name = lineOf(value['name']) ?? [family, given].filter(Boolean).join(', ')
  if (name === '') return []
  const orcid = /\d{4}-\d{4}-\d{4}-\d{3}[\dX]$/.exec(lineOf(value['orcid']) ?? '')?.[0]
  const affiliations = listOf(value['affiliation']).flatMap(toOrganization)
  return [agentOf(name, { given, family, orcid, affiliations })]
}

interface Parts {
  readonly given?: string | undefined
  readonly family?: string | undefined
  readonly orcid?: string | undefined
  readonly affiliations?: readonly Organization[]
}

function agentOf(name: string, { given, family, orcid, affiliations = [] }: Parts): Agent {
  const parts =
    family === undefined ? splitName(name, orcid !== undefined) : toParts(name, { family, given })
  return {
    name,
    family: parts.family,
    given: parts.given,
    suffix: parts.suffix,
    isPerson: parts.family !== undefined || orcid !== undefined || given !== undefined,
    orcid: orcid === undefined ? undefined : `https://orcid.org/${orcid}`,
    affiliations: unique(affiliations),
  }
}

/** @see Publication §1: without a role it is `Other` */
export function toContributor(value: Json): readonly Contributor[] {
  const role = isJsonObject(value) ? lineOf(value['role']) : undefined
  const type = termOf(contributorTypes, role ?? '') ?? 'Other'
  return toAgent(value).map((agent) => ({ ...agent, role: type }))
}

/** A name, or `{name, ror}`. */
export function toOrganization(value: Json): readonly Organization[] {
  const name = lineOf(isJsonObject(value) ? value['name'] : value)
  const ror = isJsonObject(value) ? rorOf(lineOf(value['ror'])) : undefined
  return name === undefined ? [] : [{ name, ror }]
}

function unique(organizations: readonly Organization[]): readonly Organization[] {
  return [...new Map(organizations.map((each) => [each.name, each])).values()]
}

/** The funders and grants of a document. A funder may be named by its ROR identifier or its DOI. */
export function toFunding(value: Json | undefined): readonly Funding[] {
  return objectsOf(value).flatMap((grant) => {
    const named = lineOf(grant['funder'])
    const isId = rorOf(named) !== undefined || isFunderDoi(doiOf(named))
    const id = lineOf(grant['funder_id']) ?? (isId ? named : undefined)
    const funder = isId ? undefined : named
    const identified = toFunderId(id)
    if (funder === undefined && identified.funderId === undefined) return []
    return [
      {
        funder,
        ...identified,
        award: lineOf(grant['award']),
        awardTitle: lineOf(grant['award_title']),
        awardUrl: webAddress(grant['award_uri']),
      },
    ]
  })
}

function toFunderId(id: string | undefined): Pick<Funding, 'funderId' | 'funderIdType'> {
  const ror = rorOf(id)
  if (ror !== undefined) return { funderId: ror, funderIdType: 'ROR' }
  const doi = doiOf(id)
  if (doi !== undefined && isFunderDoi(doi)) {
    return { funderId: doiUrl(doi), funderIdType: 'Crossref Funder ID' }
  }
  const url = webAddress(id) ?? (doi === undefined ? undefined : doiUrl(doi))
  return { funderId: url, funderIdType: url === undefined ? undefined : 'Other' }
}

/** @see Crossref's registry of funders */
function isFunderDoi(doi: string | undefined): boolean {
  return doi?.startsWith('10.13039/') === true
}
