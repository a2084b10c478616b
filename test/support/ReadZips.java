import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Prints the name in Base64, the size and the CRC-32 of each entry of the archives it is given. */
public class ReadZips {
  private static final byte[] buffer = new byte[1 << 20];

  public static void main(String[] paths) throws Exception {
    PrintStream out = new PrintStream(System.out, false, "UTF-8");
    for (String path : paths) {
      out.println("archive");
      try (ZipInputStream zip =
          new ZipInputStream(new BufferedInputStream(new FileInputStream(path), 1 << 16))) {
        for (ZipEntry entry; (entry = zip.getNextEntry()) != null; ) print(out, entry, zip);
      }
    }
    out.flush();
  }

  private static void print(PrintStream out, ZipEntry entry, ZipInputStream zip) throws Exception {
    CRC32 crc = new CRC32();
    long size = 0;
    for (int read; (read = zip.read(buffer)) != -1; size += read) crc.update(buffer, 0, read);
    byte[] name = entry.getName().getBytes(StandardCharsets.UTF_8);
    out.println(Base64.getEncoder().encodeToString(name) + " " + size + " " + crc.getValue());
  }
}
