/** Texts of previews of files. They are loaded with the first one. */
export const previewWords = {
  'preview.empty': 'This file is empty.',
  'preview.loading': 'Loading…',
  'preview.cut': 'Only the beginning is shown.',
  'preview.broken': 'This file is not an image that can be shown.',
  'preview.table': 'Table',
  'preview.size': '{rows} rows, {columns} columns.',
  'preview.sizeCut': 'More than {rows} rows, {columns} columns.',
  'preview.firstRows': 'The first {count} are shown.',
  'preview.previous': 'Previous file',
  'preview.next': 'Next file',
  'preview.unplayable': 'This browser cannot play the file. Download it.',
  'preview.noZip': 'The contents of this archive cannot be listed. Download it.',
  'preview.openPdf': 'Open the PDF in a new tab',
  'preview.noPdf': 'This file is not a PDF. Download it.',
  'preview.entries': 'Files in the archive',
} as const
