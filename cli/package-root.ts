import { findPackageJSON } from 'node:module'
import { dirname } from 'node:path'

/** The manifest of this package, wherever it is installed and whether it was compiled or not. */
export const manifestPath = findPackageJSON('..', import.meta.url) ?? '../package.json'

/** The folder of the manifest. */
export const packageRoot = dirname(manifestPath)
