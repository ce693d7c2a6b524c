export { createDoctor, type CheckResult, type Doctor, type DoctorDeps, type DoctorOptions, type Finding } from './doctor.ts'
export { backUp, MANIFEST, type BackupDeps, type BackupReport } from './backup.ts'
