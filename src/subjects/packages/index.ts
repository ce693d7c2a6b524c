export { presentPackage } from './package.present.ts'
