import { expect, it } from 'vitest'
import { kinds } from '../../../cli/remote/kinds.ts'
import { mayHaveToken } from '../../../cli/remote/port/remote-request.ts'

const ours = 'https://data.kcl.ac.uk'
const figshare = 'https://api.figshare.com'

it.each([
  [ours, 'https://data.kcl.ac.uk/api/files/1', true],
  [ours, 'https://data.ucl.ac.uk/api/files/1', false],
  [ours, 'https://kcl.ac.uk/', false],
  [ours, 'http://data.kcl.ac.uk/', false],
  [ours, 'https://data.kcl.ac.uk:8443/', false],
  [ours, 'https://uploads.figshare.com/upload/1', false],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8081/', false],
  [figshare, 'https://uploads.figshare.com/upload/1', true],
  [figshare, 'https://ndownloader.figshare.com/files/1', true],
  [figshare, 'http://uploads.figshare.com/upload/1', false],
  [figshare, 'https://uploads.figshare.com:8443/', false],
  [figshare, 'https://uploads.figshare.com.example.org/', false],
  [figshare, 'https://notfigshare.com/', false],
])('the token for %s goes to %s: %s', (own, address, isSent) => {
  expect(mayHaveToken(new URL(address), new URL(own), kinds.figshare.hosts)).toBe(isSent)
})
