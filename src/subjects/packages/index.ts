export { presentPackage } from './package.present.ts'
export type { PackageVersion } from './package.store.ts'
export type { Packages } from './packages.service.ts'
