export { getReadablePackageOwner } from './packages/package.guards.ts'
export { presentPackage } from './packages/package.present.ts'
