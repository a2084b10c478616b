import spdx from 'spdx-license-list'

/**
 * Identifiers of licenses that are Zenodo's alone, some for terms that no other list has. Several do not
 * say which version is meant (`cc-by`): they are kept as they are.
 */
const own = `against-drm agpl-3.0 agpl-v3 apache apache2.0 apgl-v3 apl1.0 artistic-license-2.0 attribution
  bsd-license bsl1.0 ca-tosl1.1 canada-crown cc-by cc-by-nc cc-by-nc-nd cc-by-nc-sa cc-by-nd cc-by-sa cc-nc
  cc-zero cddl1 cpal_1.0 cuaoffice dli-model-use dsl ecl2 eclipse-1.0 eiffel eurofound fal frameworx
  geo-no-fee-unrestricted geogratis gfdl gpl-2.0 gpl-3.0 hesa-withrights ibmpl intel-osl ipafont isc-license
  jabber-osl lgpl-2.1 lgpl-3.0 localauth-withrights lucent-plan9 lucent1.02 met-office-cp mit-license mitre
  mozilla mozilla1.1 nasa1.3 nethack nosl3.0 notspecified ntp-license oclc2 odc-by odc-odbl odc-pddl openfont
  opengroup other-at other-closed other-nc other-open other-pd php pythonpl pythonsoftfoundation qtpl real
  ricohpl rpl1.5 sun-issl sunpublic sybase uk-ogl ukclickusepsi ukcrown ukcrown-withrights ukpsi uoi-ncsa
  user-jsim ver2_eiffel vovidapl wxwindows zlib-license zpl`

const ofZenodo: ReadonlySet<string> = new Set(own.split(/\s+/))
let all: ReadonlySet<string> | undefined

/** Whether Zenodo has the license under this name and SPDX has not. */
export function isOwnLicense(id: string): boolean {
  return ofZenodo.has(id.toLowerCase())
}

/** Whether Zenodo has the license: by its own name for it, or that of SPDX. */
export function isLicense(id: string): boolean {
  all ??= new Set(Object.keys(spdx).map((each) => each.toLowerCase()))
  return isOwnLicense(id) || all.has(id.toLowerCase())
}
