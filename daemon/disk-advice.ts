import { adviceTable } from '../core/base/advice.ts'

/** As in `daemon/advice.ts`, of disks that are parts of a home. */
export const diskAdvice = adviceTable({
  mountForWriting: (folder: string) =>
    'If dmesg tells of errors of its disk, first save what is there (depositd backup and depositd check only read it), ' +
    'then unmount the disk, check it with fsck and mount it again. ' +
    `Otherwise mount it for writing: mount -o remount,rw ${folder}`,
})
