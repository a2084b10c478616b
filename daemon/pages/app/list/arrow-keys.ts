type Step = 'first' | 'last' | 'next' | 'previous'

const steps = new Map<string, Step>([
  ['ArrowDown', 'next'],
  ['ArrowUp', 'previous'],
  ['Home', 'first'],
  ['End', 'last'],
])

/** Moves the focus among the links of a list: to one of its ends, or by an arrow key. */
export function moveFocus(list: HTMLElement | null, by: Step | KeyboardEvent): void {
  const step = typeof by === 'string' ? by : steps.get(by.key)
  if (!list || step === undefined) return
  const links = [...list.querySelectorAll<HTMLElement>('a.row-link')]
  const current = links.findIndex((link) => link === document.activeElement)
  const target = links.at(indexOf(step, current, links.length))
  if (typeof by !== 'string') by.preventDefault()
  if (step === 'previous' && current === 0) document.querySelector<HTMLElement>('#search')?.focus()
  else target?.focus()
}

function indexOf(step: Step, current: number, length: number): number {
  if (step === 'first') return 0
  if (step === 'last') return -1
  return step === 'next' ? Math.min(current + 1, length - 1) : Math.max(current - 1, 0)
}
