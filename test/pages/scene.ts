import { toPicture } from './picture.ts'
import type { ApiAnswer, Visit } from './visit.ts'

/** The deposits and records shown. */
export interface Scene {
  readonly draft: ApiAnswer
  readonly edited: ApiAnswer
  readonly published: ApiAnswer
  readonly sealed: ApiAnswer
  readonly deleted: string
}

const metadata = {
  title: 'Sea surface temperature at Helgoland Roads, 1962–2025',
  creators: [
    {
      name: 'Brandt, Mareike',
      orcid: '0000-0002-1825-0097',
      affiliation: ['Institute for Polar and Marine Research'],
    },
    { name: 'Okafor, Chidi', affiliation: ['University of Bergen'] },
  ],
  description:
    'Daily readings of the water temperature at the cable buoy of Helgoland Roads, brought together from paper logs, loggers and the ferry box.\n\nGaps of less than two days are filled by linear interpolation and flagged; everything else is left as it was measured.',
  publication_date: '2026-11-20',
  resource_type: 'dataset',
  license: 'CC-BY-4.0',
  keywords: ['oceanography', 'time series', 'North Sea'],
  language: 'en',
  version: '2.1',
  related_identifiers: [
    { identifier: '10.5194/essd-11-1-2026', relation: 'IsSupplementTo', scheme: 'doi' },
  ],
  funding: [{ funder: 'German Research Foundation', award: 'BR 4711/2-1' }],
}

const titles = [
  'Tide gauge readings of the north pier',
  'Interviews with lighthouse keepers',
  'Sediment cores of the outer Ems',
  'A model of driftwood',
  'Bird counts, autumn 2026',
  'Phytoplankton images',
  'Notes on the storm surge of 1962',
  'Wave buoy calibration',
  'Fishing logs 1890–1914',
]

const table = ['date,depth_m,temperature_c,flag', ...Array.from({ length: 60 }, toRow)].join('\n')

function toRow(_: unknown, index: number): string {
  const day = String((index % 28) + 1).padStart(2, '0')
  return `2025-01-${day},${index % 5},${(6 + Math.sin(index / 9) * 3).toFixed(2)},${index % 17 ? '' : 'i'}`
}

/** Fills a daemon with deposits in every status. */
export async function makeScene({ api, upload }: Visit): Promise<Scene> {
  for (const title of titles) await api('POST', '/deposits/', { title })
  const make = async (body: object): Promise<ApiAnswer> => {
    const draft = await api('POST', '/deposits/', body)
    await upload(draft, 'temperature.csv', table)
    await upload(draft, 'README.md', '# Helgoland Roads\n\nColumns are described in the paper.\n')
    await upload(draft, 'figures/trend.png', toPicture(480, 200))
    return draft
  }
  const doomed = await api('POST', '/deposits/', { title: 'A mistake' })
  await api('DELETE', `/deposits/${doomed.id}`)
  const edited = await make(metadata)
  await api('POST', `/deposits/${edited.id}/actions/publish`)
  await api('POST', `/deposits/${edited.id}/actions/edit`)
  const published = await make(metadata)
  await api('POST', `/deposits/${published.id}/actions/publish`)
  await api('POST', `/deposits/${published.id}/actions/edit`)
  await api('PATCH', `/deposits/${published.id}`, [
    { op: 'replace', path: '/version', value: '2.2' },
  ])
  const again = await api('POST', `/deposits/${published.id}/actions/publish`)
  const sealed = await api('POST', '/deposits/', { title: 'Minutes of the founding meeting' })
  await api('POST', `/deposits/${sealed.id}/actions/publish`)
  await api('POST', `/deposits/${sealed.id}/actions/register`)
  const draft = await make({ ...metadata, title: 'Sea surface temperature at Helgoland Roads' })
  return { draft, edited, published: again, sealed, deleted: doomed.id }
}
