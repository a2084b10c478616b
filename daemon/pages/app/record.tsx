import { render } from 'preact'
import { CopyButton } from './record/copy-button.tsx'
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
