export { createDoctor, type CheckResult, type Doctor, type DoctorDeps, type DoctorOptions, type Finding } from './doctor.ts'
export { recountWrong, type Recounted } from './recount.ts'
export { backUp, MANIFEST, type BackupDeps, type BackupReport } from './backup.ts'
