import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Locale;

/**
 * Fetch WAY PROXY URL COUNT: java.net.http.HttpClient with a ProxySelector. It knows no SOCKS, so that way is
 * HttpURLConnection's. Prints one JSON object a line for each of COUNT requests, every one on a connection of its own.
 */
final class Fetch {
  private record Answer(int status, byte[] body) {}

  public static void main(String[] words) throws Exception {
    String way = words[0];
    String[] proxy = words[1].split(":");
    InetSocketAddress address = new InetSocketAddress(proxy[0], Integer.parseInt(proxy[1]));
    URI target = URI.create(words[2]);
    for (int left = Integer.parseInt(words[3]); left > 0; left--) {
      long begin = System.nanoTime();
      String told;
      try {
        Answer answer = way.equals("socks") ? bySocks(address, target) : byHttp(address, target);
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(answer.body);
        told = "\"status\":" + answer.status + ",\"sha256\":\"" + HexFormat.of().formatHex(digest) + "\"";
      } catch (IOException problem) {
        told = "\"error\":" + quoted(inWords(problem));
      }
      double seconds = (System.nanoTime() - begin) / 1e9;
      System.out.println("{" + told + String.format(Locale.ROOT, ",\"seconds\":%.6f}", seconds));
    }
  }

  private static Answer byHttp(InetSocketAddress proxy, URI target) throws IOException, InterruptedException {
    HttpClient client = HttpClient.newBuilder().proxy(ProxySelector.of(proxy)).build();
    HttpRequest request = HttpRequest.newBuilder(target).timeout(Duration.ofSeconds(30)).build();
    var response = client.send(request, BodyHandlers.ofByteArray());
    return new Answer(response.statusCode(), response.body());
  }

  private static Answer bySocks(InetSocketAddress proxy, URI target) throws IOException {
    var connection = (HttpURLConnection) target.toURL().openConnection(new Proxy(Proxy.Type.SOCKS, proxy));
    connection.setConnectTimeout(30_000);
    connection.setReadTimeout(30_000);
    connection.setRequestProperty("Connection", "close");
    try (var body = connection.getInputStream()) {
      return new Answer(connection.getResponseCode(), body.readAllBytes());
    } finally {
      connection.disconnect();
    }
  }

  private static String inWords(Throwable problem) {
    StringBuilder all = new StringBuilder();
    for (Throwable one = problem; one != null; one = one.getCause()) {
      all.append(all.isEmpty() ? "" : " <- ").append(one);
    }
    return all.toString();
  }

  private static String quoted(String text) {
    StringBuilder json = new StringBuilder("\"");
    for (char letter : text.toCharArray()) {
      if (letter < ' ') json.append(' ');
      else if (letter == '"' || letter == '\\') json.append('\\').append(letter);
      else json.append(letter);
    }
    return json.append('"').toString();
  }
}
