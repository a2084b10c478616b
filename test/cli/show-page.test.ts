import { describe, expect, it } from 'vitest'
import { metadataLines } from '../../cli/output/deposit-facts.ts'
import { wrap } from '../../cli/output/print.ts'

describe('the metadata on a page', () => {
  it('are shown as words, not as JSON', () => {
    const metadata = {
      creators: [
        { name: 'Lovelace, Ada', family_name: 'Lovelace', orcid: '0000-0002-1825-0097' },
        { name: 'The Sea Group' },
      ],
      keywords: ['tide', 'sea level'],
      publication_date: '2026',
      funding: [{ funder: 'The Fund', award: '5' }],
      count: 3,
    }

    expect(metadataLines(metadata, 80)).toEqual([
      'Creators:',
      '  Lovelace, Ada (orcid: 0000-0002-1825-0097)',
      '  The Sea Group',
      'Keywords: tide, sea level',
      'Publication date: 2026',
      'Funding: funder: The Fund; award: 5',
      'Count: 3',
    ])
  })

  it('cannot send control characters to the terminal', () => {
    expect(metadataLines({ 'a\u001Bb': ['\u001B[2J'] }, 80).join('')).not.toContain('\u001B')
  })

  it('are wrapped between words, and addresses stay whole', () => {
    expect(wrap('Notes: one two three https://example.org/very/long', 15)).toEqual([
      'Notes: one two',
      '  three',
      '  https://example.org/very/long',
    ])
  })
})
