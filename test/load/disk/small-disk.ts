import { type ExecFileSyncOptions, execFileSync, spawnSync } from "node:child_process";
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const quiet: ExecFileSyncOptions = { stdio: ["ignore", "ignore", "pipe"] };

/** True where this process may mount file systems: as root, outside of most containers. */
export function mayMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), "pipewright-mount-"));
  const isMounted = spawnSync("mount", ["-t", "tmpfs", "pipewright", folder], { stdio: "ignore" }).status === 0;
  if (isMounted) execFileSync("umount", [folder], quiet);
  rmSync(folder, { recursive: true });
  return isMounted;
}

/** True where a file can be mounted as a disk of ext4. */
export function mayLoop(): boolean {
  if (!mayMount() || spawnSync("mkfs.ext4", ["-V"], { stdio: "ignore" }).status !== 0) return false;
  try {
    new SmallDisk(8).close();
    return true;
  } catch {
    return false;
  }
}

/** A file system of a few MiB, which can be filled, and be broken. */
export class SmallDisk {
  /** A folder on it, for what uses the disk. */
  readonly folder: string;
  readonly #base: string;
  readonly #mount: string;
  #fillers = 0;

  /** A disk of ext4; with `files`, a file system in memory that holds so many files and folders. */
  constructor(mebibytes: number, files?: number) {
    this.#base = mkdtempSync(join(tmpdir(), "pipewright-disk-"));
    // Servers that belong to other users have their folders here.
    chmodSync(this.#base, 0o755);
    this.#mount = join(this.#base, "mount");
    mkdirSync(this.#mount);
    if (files === undefined) {
      const image = join(this.#base, "image");
      writeFileSync(image, "");
      truncateSync(image, mebibytes * 1_048_576);
      execFileSync("mkfs.ext4", ["-q", "-m", "0", image], quiet);
      execFileSync("mount", ["-o", "loop,errors=remount-ro", image, this.#mount], quiet);
    } else execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m,nr_inodes=${files}`, "pipewright", this.#mount], quiet);
    this.folder = join(this.#mount, "store");
    mkdirSync(this.folder, { mode: 0o777 });
  }

  /** Takes all bytes that are free. */
  fill(): void {
    const file = openSync(join(this.#mount, `filler-${this.#fillers++}`), "wx");
    for (const size of [65_536, 4_096, 512]) while (hasTaken(() => writeSync(file, Buffer.alloc(size, 0x78))));
    closeSync(file);
  }

  /** Makes files until there may be no more. */
  fillFiles(): void {
    while (hasTaken(() => closeSync(openSync(join(this.#mount, `filler-${this.#fillers}`), "wx")))) this.#fillers += 1;
  }

  makeRoom(): void {
    while (this.#fillers > 0) rmSync(join(this.#mount, `filler-${--this.#fillers}`), { force: true });
  }

  /** Makes the disk read-only, or writable again. No process may have a file on it open for writing. */
  remount(how: "ro" | "rw"): void {
    execFileSync("mount", ["-o", `remount,${how}`, this.#mount], quiet);
  }

  /** Makes the kernel take the file system for damaged: it writes nothing any more, until it is mounted anew. */
  break(): void {
    const device = execFileSync("findmnt", ["-no", "SOURCE", this.#mount], { encoding: "utf8" }).trim();
    writeFileSync(`/sys/fs/ext4/${basename(device)}/trigger_fs_error`, "pipewright");
  }

  /** Mounts the disk anew, as after a repair. No process may have a file open on it. */
  repair(): void {
    execFileSync("umount", [this.#mount], quiet);
    const image = join(this.#base, "image");
    spawnSync("fsck.ext4", ["-fy", image], { stdio: "ignore" });
    execFileSync("mount", ["-o", "loop,errors=remount-ro", image, this.#mount], quiet);
  }

  /** Refuses what is written to the files of a folder, or takes it again. Only ext4 knows that. */
  refuse(isRefused: boolean, ...files: readonly string[]): void {
    execFileSync("chattr", [isRefused ? "+i" : "-i", ...files], quiet);
  }

  close(): void {
    spawnSync("umount", ["--lazy", this.#mount], { stdio: "ignore" });
    rmSync(this.#base, { recursive: true, force: true });
  }
}

/** False when the disk has no room for it. */
function hasTaken(take: () => unknown): boolean {
  try {
    take();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOSPC") return false;
    throw error;
  }
}
