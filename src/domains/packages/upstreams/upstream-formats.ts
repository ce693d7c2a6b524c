import { cargoUpstream } from './formats/cargo.upstream.ts'
import { containerUpstream } from './formats/container.upstream.ts'
import { goUpstream } from './formats/go.upstream.ts'
import { mavenUpstream } from './formats/maven.upstream.ts'
import { npmUpstream } from './formats/npm.upstream.ts'
import { pypiUpstream } from './formats/pypi.upstream.ts'
import type { UpstreamFormat } from './upstream-format.ts'

/** The types of packages that can have an upstream; each is a file in `formats/`. */
const UPSTREAM_FORMATS: readonly UpstreamFormat[] = [
  cargoUpstream,
  containerUpstream,
  goUpstream,
  mavenUpstream,
  npmUpstream,
  pypiUpstream,
]

export const findUpstreamFormat = (type: string): UpstreamFormat | undefined =>
  UPSTREAM_FORMATS.find((format) => format.type === type)
