export { getReadablePackageOwner } from './package.guards.ts'
export { presentPackage } from './package.present.ts'
export type { Packages } from './packages.service.ts'
