import { useState } from 'preact/hooks'
import { writeScope } from '../../../../core/contract/scopes.ts'
import { text } from '../../text/text.ts'
import type { Deposit } from '../api/deposits.ts'
import type { Page } from '../api/page.ts'
import { hasScope } from '../api/session.ts'
import { mayCorrect, type Standing } from '../people/standing.ts'

/** Correcting the metadata of a draft that waits for reviewers. */
export interface Correction {
  readonly isOpen: boolean
  readonly begin: () => void
  /** Once all is saved; else the form stays, with the fault. */
  readonly end: () => Promise<void>
}

interface CorrectSubmittedProps {
  readonly page: Page
  readonly deposit: Deposit
  readonly standing: Standing
  readonly correction: Correction
}

/** Opens the form to curators and administrators, who else only read a submitted draft. */
export function CorrectSubmitted({ page, deposit, standing, correction }: CorrectSubmittedProps) {
  const [isEnding, setEnding] = useState(false)
  if (!mayCorrect(standing, deposit) || !hasScope(writeScope)) return null
  const isBound = page.review === 'required' && !standing.roles.includes('administrator')
  const end = async () => {
    setEnding(true)
    await correction.end()
    setEnding(false)
  }
  if (!correction.isOpen)
    return (
      <p>
        <button type="button" onClick={correction.begin}>
          {text('review.correct')}
        </button>
      </p>
    )
  return (
    <>
      <p>{text(isBound ? 'review.correctingBound' : 'review.correcting')}</p>
      <p>
        <button type="button" aria-disabled={isEnding} onClick={() => void end()}>
          {text('review.corrected')}
        </button>
      </p>
    </>
  )
}
