/** Media types that describe files, by the end of their names. They are sent as harmless ones. */
const types: ReadonlyMap<string, string> = new Map(
  `7z application/x-7z-compressed
avi video/x-msvideo
bib application/x-bibtex
bmp image/bmp
bz2 application/x-bzip2
c text/x-c
cff application/yaml
cif chemical/x-cif
cpp text/x-c
css text/css
csv text/csv
docx application/vnd.openxmlformats-officedocument.wordprocessingml.document
dta application/x-stata-dta
epub application/epub+zip
fits application/fits
flac audio/flac
geojson application/geo+json
gif image/gif
gpkg application/geopackage+sqlite3
gz application/gzip
h5 application/x-hdf5
hdf5 application/x-hdf5
htm text/html
html text/html
ipynb application/x-ipynb+json
java text/x-java-source
jp2 image/jp2
jpeg image/jpeg
jpg image/jpeg
js text/javascript
json application/json
jsonl application/jsonl
jsonld application/ld+json
m4a audio/mp4
mat application/x-matlab-data
md text/markdown
mkv video/x-matroska
mov video/quicktime
mp3 audio/mpeg
mp4 video/mp4
n3 text/n3
nc application/x-netcdf
nt application/n-triples
odp application/vnd.oasis.opendocument.presentation
ods application/vnd.oasis.opendocument.spreadsheet
odt application/vnd.oasis.opendocument.text
ogg audio/ogg
parquet application/vnd.apache.parquet
pdf application/pdf
png image/png
pptx application/vnd.openxmlformats-officedocument.presentationml.presentation
ps application/postscript
py text/x-python
r text/x-r
rdf application/rdf+xml
rtf application/rtf
sav application/x-spss-sav
sh application/x-sh
sql application/sql
svg image/svg+xml
tar application/x-tar
tex application/x-tex
tgz application/gzip
tif image/tiff
tiff image/tiff
toml application/toml
tsv text/tab-separated-values
ttl text/turtle
txt text/plain
wav audio/wav
webm video/webm
webp image/webp
xls application/vnd.ms-excel
xlsx application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
xml application/xml
xz application/x-xz
yaml application/yaml
yml application/yaml
zip application/zip
zst application/zstd`
    .split('\n')
    .map((line) => line.split(' ') as [string, string]),
)

/** The media type of a file by its name; that of bytes where the name says nothing. */
export function mediaTypeOf(key: string): string {
  const extension = /\.([^./]+)$/.exec(key)?.[1]?.toLowerCase() ?? ''
  return types.get(extension) ?? 'application/octet-stream'
}
