import { render } from 'preact'
import { CopyButton } from './record/copy-button.tsx'
import { OwnerLink } from './record/owner-link.tsx'
import { PreviewButton } from './record/preview-button.tsx'

/** What makes the page of a record livelier. Everything on it works without. */
for (const row of document.querySelectorAll<HTMLElement>('[data-preview]')) {
  const { preview = '', name = '' } = row.dataset
  const place = document.createElement('span')
  row.querySelector('.file-actions')?.prepend(place)
  render(<PreviewButton name={name} download={preview} />, place)
}

for (const citation of document.querySelectorAll<HTMLElement>('.citation')) {
  const place = document.createElement('span')
  citation.after(place)
  render(<CopyButton content={citation.textContent} />, place)
}

const owner = document.getElementById('owner')
const deposit = document.querySelector<HTMLElement>('[data-deposit]')?.dataset['deposit']
if (owner && deposit !== undefined) render(<OwnerLink deposit={deposit} />, owner)
