import { useEffect, useState } from 'preact/hooks'
import { text } from '../../text/text.ts'

/** Rows that are shown. */
const most = 200

/** The first rows of a table; what separates its cells is found out. */
export function TablePreview({ content }: { readonly content: string }) {
  const [rows, setRows] = useState<readonly (readonly string[])[]>([])
  useEffect(() => {
    void import('papaparse').then(({ default: papaparse }) => {
      const { data } = papaparse.parse<string[]>(content, { preview: most, skipEmptyLines: true })
      setRows(data)
    })
  }, [content])
  const [head = [], ...body] = rows
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={text('preview.table')}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={index} scope="col">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, number) => (
            <tr key={number}>
              {row.map((cell, index) => (
                <td key={index}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
