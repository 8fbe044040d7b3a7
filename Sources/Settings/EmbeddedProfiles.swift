// Written by scripts/embed-profiles from Profiles/*.json; edit those and run it again.

// swift-format-ignore-file

/// The files of Profiles/, as they were when the binary was built.
enum EmbeddedProfiles {
  static let files: [(name: String, text: String)] = [
    ("100-loss.json", #"""
// Connected to a network that delivers nothing, so that only the client's own time limit ends the wait; "offline" is
// the kind that fails at once. A proxy can't lose the packets that open a connection: here it is opened, then silent.
{
  "name": "100-loss",
  "aliases": ["blackhole", "100-percent-loss"],
  "summary": "Connections open but nothing is ever answered",
  "source": "Behaviour of the \"100% Loss\" preset of Apple's Network Link Conditioner",
  "toxics": [
    { "type": "drop", "attributes": { "probability": 1, "per": "connection", "how": "hang" } },
  ],
}

"""#),
    ("2g.json", #"""
// Latency: WebPageTest's is the round trip of the first hop, on top of the real path; here, too, the round trip (half
// of it in each direction).
// Chrome's "Regular 2G" (256/51 kbit/s, 300 ms) is another network: devtools-regular-2g.
{
  "name": "2g",
  "aliases": [],
  "summary": "2G: 280/256 kbit/s, 800 ms round trip",
  "source": "WebPageTest's \"2G\", www/settings/connectivity.ini.sample",
  "path": {
    "latency_ms": 800,
    "downstream_bytes_per_second": 35000,
    "upstream_bytes_per_second": 32000,
  },
}

"""#),
    ("3g.json", #"""
// Latency: read as the round trip (half of it in each direction), and the rate as that of each direction, for the
// document that fixes these numbers states neither.
{
  "name": "3g",
  "aliases": [],
  "summary": "Slow mobile data: 1.6 Mbit/s, 100 ms round trip ± 50 ms",
  "source": "Headwind's requirements: 100 ms ± 50 ms, 200 kB/s",
  "path": {
    "latency_ms": 100,
    "jitter_ms": 50,
    "downstream_bytes_per_second": 200000,
    "upstream_bytes_per_second": 200000,
  },
}

"""#),
    ("4g.json", #"""
// Latency: WebPageTest's is the round trip of the first hop, on top of the real path; here, too, the round trip (half
// of it in each direction).
{
  "name": "4g",
  "aliases": [],
  "summary": "4G: 9 Mbit/s, 170 ms round trip",
  "source": "WebPageTest's \"4G\", www/settings/connectivity.ini.sample",
  "path": {
    "latency_ms": 170,
    "downstream_bytes_per_second": 1125000,
    "upstream_bytes_per_second": 1125000,
  },
}

"""#),
    ("android-5g.json", #"""
{
  "name": "android-5g",
  "aliases": ["android-full", "android-none"],
  "summary": "Android emulator's 5g and full: pass through, nothing added",
  "source": "Android emulator (AOSP external/qemu), android/network/constants.c, 5g",
}

"""#),
    ("android-edge.json", #"""
// Latency: the emulator delays what opens a connection, once, by 80 to 400 ms; here the middle of that is the round
// trip (half of it in each direction), so every exchange pays it. Its header says that most delays are made up.
{
  "name": "android-edge",
  "aliases": [],
  "summary": "Android emulator's edge: 473.6 kbit/s, 240 ms round trip ± 160 ms",
  "source": "Android emulator (AOSP external/qemu), android/network/constants.h, edge",
  "path": {
    "latency_ms": 240,
    "jitter_ms": 160,
    "downstream_bytes_per_second": 59200,
    "upstream_bytes_per_second": 59200,
  },
}

"""#),
    ("android-evdo.json", #"""
// No latency there, nor here. The rates are the technology's peaks, not typical speeds; a comment there calls them
// kB/s, the code takes them as kbit/s.
{
  "name": "android-evdo",
  "aliases": [],
  "summary": "Android emulator's evdo: 280/75 Mbit/s, nothing added to the round trip",
  "source": "Android emulator (AOSP external/qemu), android/network/constants.h, evdo",
  "path": {
    "downstream_bytes_per_second": 35000000,
    "upstream_bytes_per_second": 9375000,
  },
}

"""#),
    ("android-gprs.json", #"""
// Latency: the emulator delays what opens a connection, once, by 35 to 200 ms; here the middle of that is the round
// trip (half of it in each direction), so every exchange pays it. Its header says that most delays are made up.
{
  "name": "android-gprs",
  "aliases": [],
  "summary": "Android emulator's gprs: 57.6/28.8 kbit/s, 117.5 ms round trip ± 82.5 ms",
  "source": "Android emulator (AOSP external/qemu), android/network/constants.h, gprs",
  "path": {
    "latency_ms": 117.5,
    "jitter_ms": 82.5,
    "downstream_bytes_per_second": 7200,
    "upstream_bytes_per_second": 3600,
  },
}

"""#),
    ("android-gsm.json", #"""
// Latency: the emulator delays what opens a connection, once, by 150 to 550 ms; here the middle of that is the round
// trip (half of it in each direction), so every exchange pays it. Its header says that most delays are made up.
{
  "name": "android-gsm",
  "aliases": [],
  "summary": "Android emulator's gsm: 14.4 kbit/s, 350 ms round trip ± 200 ms",
  "source": "Android emulator (AOSP external/qemu), android/network/constants.h, gsm",
  "path": {
    "latency_ms": 350,
    "jitter_ms": 200,
    "downstream_bytes_per_second": 1800,
    "upstream_bytes_per_second": 1800,
  },
}

"""#),
    ("android-hscsd.json", #"""
// Latency: the emulator delays what opens a connection, once, by 80 to 400 ms; here the middle of that is the round
// trip (half of it in each direction), so every exchange pays it. Its header says that most delays are made up.
{
  "name": "android-hscsd",
  "aliases": [],
  "summary": "Android emulator's hscsd: 57.6/14.4 kbit/s, 240 ms round trip ± 160 ms",
  "source": "Android emulator (AOSP external/qemu), android/network/constants.h, hscsd",
  "path": {
    "latency_ms": 240,
    "jitter_ms": 160,
    "downstream_bytes_per_second": 7200,
    "upstream_bytes_per_second": 1800,
  },
}

"""#),
    ("android-hsdpa.json", #"""
// No latency there, nor here. The rates are the technology's peaks, not typical speeds; a comment there calls them
// kB/s, the code takes them as kbit/s.
{
  "name": "android-hsdpa",
  "aliases": [],
  "summary": "Android emulator's hsdpa: 13.98/5.76 Mbit/s, nothing added to the round trip",
  "source": "Android emulator (AOSP external/qemu), android/network/constants.h, hsdpa",
  "path": {
    "downstream_bytes_per_second": 1747500,
    "upstream_bytes_per_second": 720000,
  },
}

"""#),
    ("android-legacy-edge.json", #"""
// Latency: the emulator delays what opens a connection, once, by 80 to 400 ms; here the middle of that is the round
// trip (half of it in each direction), so every exchange pays it. Its source calls the numbers imaginary.
{
  "name": "android-legacy-edge",
  "aliases": [],
  "summary": "Android emulator's edge up to Android 5: 236.8/118.4 kbit/s, 240 ms round trip ± 160 ms",
  "source": "Android emulator of Android 5.1.1 (platform/external/qemu), android/android-constants.c, edge",
  "path": {
    "latency_ms": 240,
    "jitter_ms": 160,
    "downstream_bytes_per_second": 29600,
    "upstream_bytes_per_second": 14800,
  },
}

"""#),
    ("android-legacy-gprs.json", #"""
// Latency: the emulator delays what opens a connection, once, by 150 to 550 ms; here the middle of that is the round
// trip (half of it in each direction), so every exchange pays it. Its source calls the numbers imaginary.
{
  "name": "android-legacy-gprs",
  "aliases": [],
  "summary": "Android emulator's gprs up to Android 5: 80/40 kbit/s, 350 ms round trip ± 200 ms",
  "source": "Android emulator of Android 5.1.1 (platform/external/qemu), android/android-constants.c, gprs",
  "path": {
    "latency_ms": 350,
    "jitter_ms": 200,
    "downstream_bytes_per_second": 10000,
    "upstream_bytes_per_second": 5000,
  },
}

"""#),
    ("android-legacy-gsm.json", #"""
// No latency of this name there, nor here.
{
  "name": "android-legacy-gsm",
  "aliases": [],
  "summary": "Android emulator's gsm up to Android 5: 14.4 kbit/s, nothing added to the round trip",
  "source": "Android emulator of Android 5.1.1 (platform/external/qemu), android/android-constants.c, gsm",
  "path": {
    "downstream_bytes_per_second": 1800,
    "upstream_bytes_per_second": 1800,
  },
}

"""#),
    ("android-legacy-hscsd.json", #"""
// No latency of this name there, nor here.
{
  "name": "android-legacy-hscsd",
  "aliases": [],
  "summary": "Android emulator's hscsd up to Android 5: 43.2/14.4 kbit/s, nothing added to the round trip",
  "source": "Android emulator of Android 5.1.1 (platform/external/qemu), android/android-constants.c, hscsd",
  "path": {
    "downstream_bytes_per_second": 5400,
    "upstream_bytes_per_second": 1800,
  },
}

"""#),
    ("android-legacy-hsdpa.json", #"""
// No latency of this name there, nor here.
{
  "name": "android-legacy-hsdpa",
  "aliases": [],
  "summary": "Android emulator's hsdpa up to Android 5: 14400/348 kbit/s, nothing added to the round trip",
  "source": "Android emulator of Android 5.1.1 (platform/external/qemu), android/android-constants.c, hsdpa",
  "path": {
    "downstream_bytes_per_second": 1800000,
    "upstream_bytes_per_second": 43500,
  },
}

"""#),
    ("android-legacy-umts.json", #"""
// Latency: the emulator delays what opens a connection, once, by 35 to 200 ms; here the middle of that is the round
// trip (half of it in each direction), so every exchange pays it. Its source calls the numbers imaginary.
{
  "name": "android-legacy-umts",
  "aliases": [],
  "summary": "Android emulator's umts up to Android 5: 1920/128 kbit/s, 117.5 ms round trip ± 82.5 ms",
  "source": "Android emulator of Android 5.1.1 (platform/external/qemu), android/android-constants.c, umts",
  "path": {
    "latency_ms": 117.5,
    "jitter_ms": 82.5,
    "downstream_bytes_per_second": 240000,
    "upstream_bytes_per_second": 16000,
  },
}

"""#),
    ("android-lte.json", #"""
// No latency there, nor here. The rates are the technology's peaks, not typical speeds; a comment there calls them
// kB/s, the code takes them as kbit/s.
{
  "name": "android-lte",
  "aliases": [],
  "summary": "Android emulator's lte: 173/58 Mbit/s, nothing added to the round trip",
  "source": "Android emulator (AOSP external/qemu), android/network/constants.h, lte",
  "path": {
    "downstream_bytes_per_second": 21625000,
    "upstream_bytes_per_second": 7250000,
  },
}

"""#),
    ("android-umts.json", #"""
// Latency: the emulator delays what opens a connection, once, by 35 to 200 ms; here the middle of that is the round
// trip (half of it in each direction), so every exchange pays it. Its header says that most delays are made up.
{
  "name": "android-umts",
  "aliases": [],
  "summary": "Android emulator's umts: 384 kbit/s, 117.5 ms round trip ± 82.5 ms",
  "source": "Android emulator (AOSP external/qemu), android/network/constants.h, umts",
  "path": {
    "latency_ms": 117.5,
    "jitter_ms": 82.5,
    "downstream_bytes_per_second": 48000,
    "upstream_bytes_per_second": 48000,
  },
}

"""#),
    ("cable.json", #"""
// Latency: WebPageTest's is the round trip of the first hop, on top of the real path; here, too, the round trip (half
// of it in each direction).
{
  "name": "cable",
  "aliases": [],
  "summary": "Cable modem: 5/1 Mbit/s, 28 ms round trip",
  "source": "WebPageTest's \"Cable\", www/settings/connectivity.ini.sample",
  "path": {
    "latency_ms": 28,
    "downstream_bytes_per_second": 625000,
    "upstream_bytes_per_second": 125000,
  },
}

"""#),
    ("devtools-3g.json", #"""
// Latency: DevTools delays each request once, by five times the round trip that it aims at (2000 ms); here the round
// trip aimed at (half of it in each direction), which a new connection pays twice.
// Rates: as DevTools applies them, 0.8 of the 500 kbit/s that it aims at. Called "Slow 3G" until 2024.
{
  "name": "devtools-3g",
  "aliases": ["devtools-slow-3g"],
  "summary": "Chrome's 3G, formerly Slow 3G: 400 kbit/s, 400 ms round trip",
  "source": "Chrome DevTools, front_end/core/sdk/NetworkManager.ts, Slow3GConditions; the same in Puppeteer",
  "path": {
    "latency_ms": 400,
    "downstream_bytes_per_second": 50000,
    "upstream_bytes_per_second": 50000,
  },
}

"""#),
    ("devtools-dsl.json", #"""
// Latency: added once to each request there, without a factor in those years; here it is the round trip (half of it in
// each direction), which a new connection pays twice.
// Rates: 2048/1024 kbit/s of 1024 bits.
{
  "name": "devtools-dsl",
  "aliases": [],
  "summary": "Chrome's former DSL: 2097/1049 kbit/s, 5 ms round trip",
  "source": "Chrome DevTools 2015-2017, \"DSL\", as in catapult's telemetry/page/traffic_setting.py",
  "path": {
    "latency_ms": 5,
    "downstream_bytes_per_second": 262144,
    "upstream_bytes_per_second": 131072,
  },
}

"""#),
    ("devtools-fast-4g.json", #"""
// Latency: DevTools delays each request once, by 2.75 times the round trip that it aims at (165 ms); here the round
// trip aimed at (half of it in each direction), which a new connection pays twice.
// Rates: as DevTools applies them, 0.9 of the 9000/1500 kbit/s that it aims at.
{
  "name": "devtools-fast-4g",
  "aliases": [],
  "summary": "Chrome's Fast 4G: 8100/1350 kbit/s, 60 ms round trip",
  "source": "Chrome DevTools, front_end/core/sdk/NetworkManager.ts, Fast4GConditions; the same in Puppeteer",
  "path": {
    "latency_ms": 60,
    "downstream_bytes_per_second": 1012500,
    "upstream_bytes_per_second": 168750,
  },
}

"""#),
    ("devtools-good-2g.json", #"""
// Latency: added once to each request there, without a factor in those years; here it is the round trip (half of it in
// each direction), which a new connection pays twice.
// Rates: 450/150 kbit/s of 1024 bits.
{
  "name": "devtools-good-2g",
  "aliases": ["good-2g"],
  "summary": "Chrome's former Good 2G: 460.8/153.6 kbit/s, 150 ms round trip",
  "source": "Chrome DevTools 2015-2017, \"Good 2G\", as in catapult's telemetry/page/traffic_setting.py",
  "path": {
    "latency_ms": 150,
    "downstream_bytes_per_second": 57600,
    "upstream_bytes_per_second": 19200,
  },
}

"""#),
    ("devtools-good-3g.json", #"""
// Latency: added once to each request there, without a factor in those years; here it is the round trip (half of it in
// each direction), which a new connection pays twice.
// Rates: 1536/750 kbit/s of 1024 bits. LambdaTest's "Good 3G" is another network (1 Mbit/s, 20 ms).
{
  "name": "devtools-good-3g",
  "aliases": ["good-3g"],
  "summary": "Chrome's former Good 3G: 1573/768 kbit/s, 40 ms round trip",
  "source": "Chrome DevTools 2015-2017, \"Good 3G\", as in catapult's telemetry/page/traffic_setting.py",
  "path": {
    "latency_ms": 40,
    "downstream_bytes_per_second": 196608,
    "upstream_bytes_per_second": 96000,
  },
}

"""#),
    ("devtools-gprs.json", #"""
// Latency: added once to each request there, without a factor in those years; here it is the round trip (half of it in
// each direction), which a new connection pays twice.
// Rates: 50/20 kbit/s of 1024 bits.
{
  "name": "devtools-gprs",
  "aliases": [],
  "summary": "Chrome's former GPRS: 51.2/20.48 kbit/s, 500 ms round trip",
  "source": "Chrome DevTools 2015-2017, \"GPRS\", as in catapult's telemetry/page/traffic_setting.py",
  "path": {
    "latency_ms": 500,
    "downstream_bytes_per_second": 6400,
    "upstream_bytes_per_second": 2560,
  },
}

"""#),
    ("devtools-offline.json", #"""
// Requests fail immediately there; here connections are refused and open ones reset. The same as offline.
{
  "name": "devtools-offline",
  "aliases": [],
  "summary": "Chrome's Offline: everything fails at once",
  "source": "Chrome DevTools, front_end/core/sdk/NetworkManager.ts, OfflineConditions",
  "toxics": [
    { "type": "drop", "attributes": { "probability": 1, "per": "connection", "how": "refuse" } },
  ],
}

"""#),
    ("devtools-regular-2g.json", #"""
// Latency: added once to each request there, without a factor in those years; here it is the round trip (half of it in
// each direction), which a new connection pays twice.
// Rates: 250/50 kbit/s of 1024 bits. Chromedriver calls this network "edge", which it is not.
{
  "name": "devtools-regular-2g",
  "aliases": ["regular-2g"],
  "summary": "Chrome's former Regular 2G: 256/51.2 kbit/s, 300 ms round trip",
  "source": "Chrome DevTools 2015-2017, \"Regular 2G\", as in catapult's telemetry/page/traffic_setting.py",
  "path": {
    "latency_ms": 300,
    "downstream_bytes_per_second": 32000,
    "upstream_bytes_per_second": 6400,
  },
}

"""#),
    ("devtools-regular-3g.json", #"""
// Latency: added once to each request there, without a factor in those years; here it is the round trip (half of it in
// each direction), which a new connection pays twice.
// Rates: 750/250 kbit/s of 1024 bits.
{
  "name": "devtools-regular-3g",
  "aliases": ["regular-3g"],
  "summary": "Chrome's former Regular 3G: 768/256 kbit/s, 100 ms round trip",
  "source": "Chrome DevTools 2015-2017, \"Regular 3G\", as in catapult's telemetry/page/traffic_setting.py",
  "path": {
    "latency_ms": 100,
    "downstream_bytes_per_second": 96000,
    "upstream_bytes_per_second": 32000,
  },
}

"""#),
    ("devtools-regular-4g.json", #"""
// Latency: added once to each request there, without a factor in those years; here it is the round trip (half of it in
// each direction), which a new connection pays twice.
// Rates: 4096/3072 kbit/s of 1024 bits.
{
  "name": "devtools-regular-4g",
  "aliases": ["regular-4g"],
  "summary": "Chrome's former Regular 4G: 4194/3146 kbit/s, 20 ms round trip",
  "source": "Chrome DevTools 2015-2017, \"Regular 4G\", as in catapult's telemetry/page/traffic_setting.py",
  "path": {
    "latency_ms": 20,
    "downstream_bytes_per_second": 524288,
    "upstream_bytes_per_second": 393216,
  },
}

"""#),
    ("devtools-slow-4g.json", #"""
// Latency: DevTools delays each request once, by 3.75 times the round trip that it aims at (562.5 ms); here the round
// trip aimed at (half of it in each direction), which a new connection pays twice.
// Rates: as DevTools applies them, 0.9 of the 1600/750 kbit/s that it aims at. Called "Fast 3G" until 2024.
{
  "name": "devtools-slow-4g",
  "aliases": ["devtools-fast-3g"],
  "summary": "Chrome's Slow 4G, formerly Fast 3G: 1440/675 kbit/s, 150 ms round trip",
  "source": "Chrome DevTools, front_end/core/sdk/NetworkManager.ts, Slow4GConditions; the same in Puppeteer and Lighthouse",
  "path": {
    "latency_ms": 150,
    "downstream_bytes_per_second": 180000,
    "upstream_bytes_per_second": 84375,
  },
}

"""#),
    ("devtools-wifi.json", #"""
// Latency: added once to each request there, without a factor in those years; here it is the round trip (half of it in
// each direction), which a new connection pays twice.
// Rates: 30720/15360 kbit/s of 1024 bits.
{
  "name": "devtools-wifi",
  "aliases": [],
  "summary": "Chrome's former WiFi: 31.5/15.7 Mbit/s, 2 ms round trip",
  "source": "Chrome DevTools 2015-2017, \"WiFi\", as in catapult's telemetry/page/traffic_setting.py",
  "path": {
    "latency_ms": 2,
    "downstream_bytes_per_second": 3932160,
    "upstream_bytes_per_second": 1966080,
  },
}

"""#),
    ("dial-up.json", #"""
// Latency: WebPageTest's is the round trip of the first hop, on top of the real path; here, too, the round trip (half
// of it in each direction).
{
  "name": "dial-up",
  "aliases": ["dial", "56k"],
  "summary": "56K modem: 49/30 kbit/s, 120 ms round trip",
  "source": "WebPageTest's \"Dial\", www/settings/connectivity.ini.sample",
  "path": {
    "latency_ms": 120,
    "downstream_bytes_per_second": 6125,
    "upstream_bytes_per_second": 3750,
  },
}

"""#),
    ("dsl.json", #"""
// Latency: WebPageTest's is the round trip of the first hop, on top of the real path; here, too, the round trip (half
// of it in each direction).
// Apple's DSL is 2000/256 kbit/s with 10 ms: nlc-dsl.
{
  "name": "dsl",
  "aliases": ["adsl"],
  "summary": "DSL: 1500/384 kbit/s, 50 ms round trip",
  "source": "WebPageTest's \"DSL\", www/settings/connectivity.ini.sample",
  "path": {
    "latency_ms": 50,
    "downstream_bytes_per_second": 187500,
    "upstream_bytes_per_second": 48000,
  },
}

"""#),
    ("edge.json", #"""
// Latency: read as the round trip (half of it in each direction), and the rate as that of each direction, for the
// document that fixes these numbers states neither. Apple's preset of the same name has 400 ms one way in its downlink
// alone, so it is about twice as slow to answer (nlc-edge).
{
  "name": "edge",
  "aliases": ["2.75g", "egprs"],
  "summary": "EDGE: 240 kbit/s, 400 ms round trip ± 100 ms",
  "source": "Headwind's requirements: 400 ms ± 100 ms, 30 kB/s",
  "path": {
    "latency_ms": 400,
    "jitter_ms": 100,
    "downstream_bytes_per_second": 30000,
    "upstream_bytes_per_second": 30000,
  },
}

"""#),
    ("elevator.json", #"""
// Latency: the round trip (half of it in each direction), of Ofcom's measured 4G in the lobby. Headwind chose what
// happens on the ride: it isn't silent as in a tunnel, but slow, late and lossy. Losses come in runs of five, as were
// seen on a wide-area link; percents of loss are far more than phones see in the open (0 to 0.05 %).
{
  "name": "elevator",
  "aliases": ["lift"],
  "summary": "4G for 20 s, then a ride of 15 s with 64/32 kbit/s, 400 ms round trip ± 150 ms and 10 % loss; over and over",
  "source": "Headwind's own; in the lobby as Ofcom measured 4G in the UK, Q4 2014 (14.7/13.6 Mbit/s, 53 ms)",
  "path": {
    "latency_ms": 53,
    "jitter_ms": 10,
    "downstream_bytes_per_second": 1837500,
    "upstream_bytes_per_second": 1700000,
    "timeline": {
      "loop": true,
      "steps": [
        { "name": "lobby", "for_ms": 20000, "path": {} },
        {
          "name": "doors-close",
          "for_ms": 2000,
          "path": {
            "latency_ms": 120,
            "jitter_ms": 50,
            "downstream_bytes_per_second": 125000,
            "upstream_bytes_per_second": 40000,
            "downstream_loss": { "loss": 0.02, "mean_burst_packets": 3 },
            "upstream_loss": { "loss": 0.02, "mean_burst_packets": 3 },
          },
        },
        {
          "name": "ride",
          "for_ms": 15000,
          "path": {
            "latency_ms": 400,
            "jitter_ms": 150,
            "downstream_bytes_per_second": 8000,
            "upstream_bytes_per_second": 4000,
            "downstream_loss": { "loss": 0.1, "mean_burst_packets": 5 },
            "upstream_loss": { "loss": 0.1, "mean_burst_packets": 5 },
          },
        },
        {
          "name": "doors-open",
          "for_ms": 2000,
          "path": {
            "latency_ms": 120,
            "jitter_ms": 50,
            "downstream_bytes_per_second": 125000,
            "upstream_bytes_per_second": 40000,
          },
        },
      ],
    },
  },
}

"""#),
    ("fast-3g.json", #"""
// Latency: of Chrome's "Slow 4G" the round trip that it aims at (half of it in each direction), not the product of 3.75
// times that by which DevTools delays a request; and the rates aimed at, of which DevTools applies nine tenths
// (devtools-slow-4g). WebPageTest's "3GFast" has 768 kbit/s up. Chrome called this network "Fast 3G" until 2024.
{
  "name": "fast-3g",
  "aliases": ["slow-4g", "3g-fast"],
  "summary": "Good 3G or bad 4G: 1600/750 kbit/s, 150 ms round trip",
  "source": "Targets of Chrome's \"Slow 4G\", front_end/core/sdk/NetworkManager.ts; WebPageTest's \"3GFast\" is nearly the same",
  "path": {
    "latency_ms": 150,
    "downstream_bytes_per_second": 200000,
    "upstream_bytes_per_second": 93750,
  },
}

"""#),
    ("fast-4g.json", #"""
// Latency: of Chrome's "Fast 4G" the round trip that it aims at (half of it in each direction), not the product of 2.75
// times that by which DevTools delays a request; and the rates aimed at, of which DevTools applies nine tenths
// (devtools-fast-4g).
{
  "name": "fast-4g",
  "aliases": [],
  "summary": "Good 4G: 9/1.5 Mbit/s, 60 ms round trip",
  "source": "Targets of Chrome's \"Fast 4G\", front_end/core/sdk/NetworkManager.ts",
  "path": {
    "latency_ms": 60,
    "downstream_bytes_per_second": 1125000,
    "upstream_bytes_per_second": 187500,
  },
}

"""#),
    ("fiber.json", #"""
// Latency: WebPageTest's is the round trip of the first hop, on top of the real path; here, too, the round trip (half
// of it in each direction).
{
  "name": "fiber",
  "aliases": ["fios", "fibre"],
  "summary": "Fibre: 20/5 Mbit/s, 4 ms round trip",
  "source": "WebPageTest's \"FIOS\", www/settings/connectivity.ini.sample",
  "path": {
    "latency_ms": 4,
    "downstream_bytes_per_second": 2500000,
    "upstream_bytes_per_second": 625000,
  },
}

"""#),
    ("flaky.json", #"""
// No latency and no limit of the rate in either direction: only failures.
// An exchange is what the client sends after the server last spoke, up to the server's answer: a request, also on a
// connection that is kept alive and inside TLS. Over HTTP/2, requests that overlap share an exchange, and fail
// together.
{
  "name": "flaky",
  "aliases": ["unreliable"],
  "summary": "3 of 10 requests fail with a connection reset",
  "source": "Headwind's requirements: 30 % of requests fail",
  "toxics": [
    { "type": "drop", "attributes": { "probability": 0.3, "per": "exchange", "how": "reset" } },
  ],
}

"""#),
    ("gprs.json", #"""
// Latency: Chrome and Firefox add theirs once to each request; here it is the round trip (half of it in each
// direction), so a request on an open connection takes as long, and a new connection costs one more.
// The rates are 50 and 20 kbit/s of 1024 bits.
{
  "name": "gprs",
  "aliases": ["2.5g"],
  "summary": "GPRS: 51.2/20.48 kbit/s, 500 ms round trip",
  "source": "\"GPRS\" of Chrome DevTools 2015-2017, as in catapult's telemetry/page/traffic_setting.py, and of Firefox DevTools",
  "path": {
    "latency_ms": 500,
    "downstream_bytes_per_second": 6400,
    "upstream_bytes_per_second": 2560,
  },
}

"""#),
    ("handover.json", #"""
// Latency: the round trip (half of it in each direction), as Ofcom measured 4G, then 3G.
// Between the cells nothing passes for a second: the longest stall in each of Mahimahi's LTE traces is 0.9 to 4.1 s.
{
  "name": "handover",
  "aliases": [],
  "summary": "15 s of 4G, a stall of 1 s, 15 s of 3G, a stall of 1 s; over and over",
  "source": "Headwind's own; the cells as Ofcom measured 4G and 3G in the UK, Q4 2014; the stall as in Mahimahi's LTE traces",
  "path": {
    "latency_ms": 53,
    "jitter_ms": 10,
    "downstream_bytes_per_second": 1837500,
    "upstream_bytes_per_second": 1700000,
    "timeline": {
      "loop": true,
      "steps": [
        { "name": "4g", "for_ms": 15000, "path": {} },
        {
          "name": "leaving-4g",
          "for_ms": 1000,
          "path": { "downstream_bytes_per_second": 0, "upstream_bytes_per_second": 0 },
        },
        {
          "name": "3g",
          "for_ms": 15000,
          "path": {
            "latency_ms": 63.5,
            "jitter_ms": 15,
            "downstream_bytes_per_second": 737500,
            "upstream_bytes_per_second": 200000,
          },
        },
        {
          "name": "leaving-3g",
          "for_ms": 1000,
          "path": { "downstream_bytes_per_second": 0, "upstream_bytes_per_second": 0 },
        },
      ],
    },
  },
}

"""#),
    ("high-latency-dns.json", #"""
// Added once to each connection that is asked for by name, so only where Headwind looks names up: at a forward proxy.
{
  "name": "high-latency-dns",
  "aliases": ["slow-dns"],
  "summary": "Looking up a name takes 3 s longer; nothing else",
  "source": "\"High Latency DNS\" of Apple's Network Link Conditioner, as copied at https://www.useprobe.app/docs/throttling",
  "path": {
    "dns_latency_ms": 3000,
  },
}

"""#),
    ("inflight-wifi.json", #"""
// Latency: the round trip as measured (half of it in each direction). A geostationary cabin link has some 750 ms.
// The rates are what one whole cabin shared in one flight. The loss is the median of flights and of no stated
// direction: here downstream.
{
  "name": "inflight-wifi",
  "aliases": ["cabin-wifi"],
  "summary": "Cabin Wi-Fi over ground stations: 1500/300 kbit/s, 200 ms round trip, 3.3 % loss down",
  "source": "Measurements of aircraft Wi-Fi: rates of an air-to-ground flight of 2014; median round trip and loss of 45 flight-hours",
  "path": {
    "latency_ms": 200,
    "downstream_bytes_per_second": 187500,
    "upstream_bytes_per_second": 37500,
    "downstream_loss": 0.033,
  },
}

"""#),
    ("lte.json", #"""
// Latency: read as the round trip (half of it in each direction), and the rate as that of each direction, for the
// document that fixes these numbers states neither.
{
  "name": "lte",
  "aliases": [],
  "summary": "Good mobile data: 50 Mbit/s, 50 ms round trip",
  "source": "Headwind's requirements: 50 ms, 6.25 MB/s",
  "path": {
    "latency_ms": 50,
    "downstream_bytes_per_second": 6250000,
    "upstream_bytes_per_second": 6250000,
  },
}

"""#),
    ("nlc-100-loss.json", #"""
// Packets vanish silently there, so connections time out. A proxy can't lose the packets that open a connection: here
// it is opened, then silent. The same as 100-loss.
{
  "name": "nlc-100-loss",
  "aliases": [],
  "summary": "Apple's 100% Loss: connections open but nothing is ever answered",
  "source": "Apple's Network Link Conditioner, \"100% Loss\"; named in the condition-inducer docs of Appium's XCUITest driver",
  "toxics": [
    { "type": "drop", "attributes": { "probability": 1, "per": "connection", "how": "hang" } },
  ],
}

"""#),
    ("nlc-3g-good.json", #"""
// Latency: one way there, 90 ms down and 100 ms up; here their sum, the round trip, of which half goes to each
// direction (95 ms). Another copy has 100 ms down.
{
  "name": "nlc-3g-good",
  "aliases": [],
  "summary": "Apple's former 3G, Good: 850/420 kbit/s, 190 ms round trip",
  "source": "Apple's Network Link Conditioner 2011-2013, \"3G, Good\", as copied by Augmented Traffic Control and WebRTC's emulate.py",
  "path": {
    "latency_ms": 190,
    "downstream_bytes_per_second": 106250,
    "upstream_bytes_per_second": 52500,
  },
}

"""#),
    ("nlc-3g-lossy.json", #"""
// Latency: one way there, 100 ms in each direction; here their sum, the round trip (half of it in each direction).
// Loss: 1 % down; another copy has none up.
{
  "name": "nlc-3g-lossy",
  "aliases": [],
  "summary": "Apple's former 3G, Lossy: 780/330 kbit/s, 200 ms round trip, 1 % loss down",
  "source": "Apple's Network Link Conditioner 2011-2013, \"3G, Lossy Network\", as copied by WebRTC's tools_webrtc/network_emulator/emulate.py",
  "path": {
    "latency_ms": 200,
    "downstream_bytes_per_second": 97500,
    "upstream_bytes_per_second": 41250,
    "downstream_loss": 0.01,
  },
}

"""#),
    ("nlc-3g.json", #"""
// Latency: one way there, 100 ms down and 100 ms up; here their sum, the round trip (half of it in each direction).
// The presets of 2011-2013 call it "3G, Average Case".
{
  "name": "nlc-3g",
  "aliases": ["nlc-3g-average"],
  "summary": "Apple's 3G: 780/330 kbit/s, 200 ms round trip",
  "source": "Apple's Network Link Conditioner, \"3G\", as copied at https://www.useprobe.app/docs/throttling and by Augmented Traffic Control",
  "path": {
    "latency_ms": 200,
    "downstream_bytes_per_second": 97500,
    "upstream_bytes_per_second": 41250,
  },
}

"""#),
    ("nlc-cable-modem.json", #"""
// Latency: one way there, 2 ms, read as that of each direction; here their sum, the round trip (half of it in each
// direction).
{
  "name": "nlc-cable-modem",
  "aliases": [],
  "summary": "Apple's former Cable Modem: 6/1 Mbit/s, 4 ms round trip",
  "source": "Apple's Network Link Conditioner 2011-2013, \"Cable Modem\", as copied by WebRTC's tools_webrtc/network_emulator/emulate.py",
  "path": {
    "latency_ms": 4,
    "downstream_bytes_per_second": 750000,
    "upstream_bytes_per_second": 125000,
  },
}

"""#),
    ("nlc-dsl.json", #"""
// Latency: one way there, 5 ms in each direction; here their sum, the round trip (half of it in each direction).
// The presets of 2011-2013 have the same numbers.
{
  "name": "nlc-dsl",
  "aliases": [],
  "summary": "Apple's DSL: 2000/256 kbit/s, 10 ms round trip",
  "source": "Apple's Network Link Conditioner, \"DSL\", as copied at https://www.useprobe.app/docs/throttling and by Augmented Traffic Control",
  "path": {
    "latency_ms": 10,
    "downstream_bytes_per_second": 250000,
    "upstream_bytes_per_second": 32000,
  },
}

"""#),
    ("nlc-edge-good.json", #"""
// Latency: one way there, 350 ms down and 370 ms up; here their sum, the round trip, of which half goes to each
// direction (360 ms).
{
  "name": "nlc-edge-good",
  "aliases": [],
  "summary": "Apple's former Edge, Good: 250/200 kbit/s, 720 ms round trip",
  "source": "Apple's Network Link Conditioner 2011-2013, \"Edge, Good\", as copied by WebRTC's emulate.py; the delay up by Augmented Traffic Control",
  "path": {
    "latency_ms": 720,
    "downstream_bytes_per_second": 31250,
    "upstream_bytes_per_second": 25000,
  },
}

"""#),
    ("nlc-edge-lossy.json", #"""
// Latency: one way there, 400 ms down and 440 ms up; here their sum, the round trip, of which half goes to each
// direction (420 ms).
// Loss: 1 % down; what it is up isn't told.
{
  "name": "nlc-edge-lossy",
  "aliases": [],
  "summary": "Apple's former Edge, Lossy: 240/200 kbit/s, 840 ms round trip, 1 % loss down",
  "source": "Apple's Network Link Conditioner 2011-2013, \"Edge, Lossy Network\", as copied by WebRTC's emulate.py; the delay up by Augmented Traffic Control",
  "path": {
    "latency_ms": 840,
    "downstream_bytes_per_second": 30000,
    "upstream_bytes_per_second": 25000,
    "downstream_loss": 0.01,
  },
}

"""#),
    ("nlc-edge.json", #"""
// Latency: one way there, 400 ms down and 440 ms up; here their sum, the round trip, of which half goes to each
// direction (420 ms). The presets of 2011-2013 call it "Edge, Average Case".
{
  "name": "nlc-edge",
  "aliases": ["nlc-edge-average"],
  "summary": "Apple's Edge: 240/200 kbit/s, 840 ms round trip",
  "source": "Apple's Network Link Conditioner, \"Edge\", as copied by Augmented Traffic Control (Edge-Average.json) and WebRTC's emulate.py",
  "path": {
    "latency_ms": 840,
    "downstream_bytes_per_second": 30000,
    "upstream_bytes_per_second": 25000,
  },
}

"""#),
    ("nlc-high-latency-dns.json", #"""
// Added once to each connection that is asked for by name, so only where Headwind looks names up: at a forward proxy.
// One copy has 220 ms; those with 3000 ms agree with each other.
{
  "name": "nlc-high-latency-dns",
  "aliases": [],
  "summary": "Apple's High Latency DNS: looking up a name takes 3 s longer",
  "source": "Apple's Network Link Conditioner, \"High Latency DNS\", as copied at https://www.useprobe.app/docs/throttling",
  "path": {
    "dns_latency_ms": 3000,
  },
}

"""#),
    ("nlc-lte.json", #"""
// Latency: one way there, 50 ms down and 65 ms up; here their sum, the round trip, of which half goes to each direction
// (57.5 ms).
// The rate and delay up rest on one copy.
{
  "name": "nlc-lte",
  "aliases": [],
  "summary": "Apple's LTE: 50/10 Mbit/s, 115 ms round trip",
  "source": "Apple's Network Link Conditioner, \"LTE\", as copied at https://www.useprobe.app/docs/throttling",
  "path": {
    "latency_ms": 115,
    "downstream_bytes_per_second": 6250000,
    "upstream_bytes_per_second": 1250000,
  },
}

"""#),
    ("nlc-very-bad-network.json", #"""
// Latency: one way there, 500 ms in each direction; here their sum, the round trip (half of it in each direction).
// Other copies disagree (160/80 kbit/s; 20 % loss; 400 ms with 5 %): this one is the only full one, and it fits the
// other presets. The same as very-bad-network.
{
  "name": "nlc-very-bad-network",
  "aliases": [],
  "summary": "Apple's Very Bad Network: 1 Mbit/s, 1 s round trip, 10 % packet loss each way",
  "source": "Apple's Network Link Conditioner, \"Very Bad Network\", as copied at https://www.useprobe.app/docs/throttling",
  "path": {
    "latency_ms": 1000,
    "downstream_bytes_per_second": 125000,
    "upstream_bytes_per_second": 125000,
    "downstream_loss": 0.1,
    "upstream_loss": 0.1,
  },
}

"""#),
    ("nlc-wifi-good.json", #"""
// Latency: one way there, 1 ms, read as that of each direction; here their sum, the round trip (half of it in each
// direction).
{
  "name": "nlc-wifi-good",
  "aliases": [],
  "summary": "Apple's former Wifi, Good: 45/40 Mbit/s, 2 ms round trip",
  "source": "Apple's Network Link Conditioner 2011-2013, \"Wifi, Good\", as copied by WebRTC's tools_webrtc/network_emulator/emulate.py",
  "path": {
    "latency_ms": 2,
    "downstream_bytes_per_second": 5625000,
    "upstream_bytes_per_second": 5000000,
  },
}

"""#),
    ("nlc-wifi.json", #"""
// Latency: one way there, 1 ms in each direction; here their sum, the round trip (half of it in each direction).
// The presets of 2011-2013 call it "Wifi, Average Case"; of their "Wifi, Lossy" no copy tells the loss.
{
  "name": "nlc-wifi",
  "aliases": ["nlc-wi-fi", "nlc-wifi-average"],
  "summary": "Apple's Wi-Fi: 40/33 Mbit/s, 2 ms round trip",
  "source": "Apple's Network Link Conditioner, \"Wi-Fi\", read off its pane",
  "path": {
    "latency_ms": 2,
    "downstream_bytes_per_second": 5000000,
    "upstream_bytes_per_second": 4125000,
  },
}

"""#),
    ("none.json", #"""
// No conditioning: every byte passes through at once. The state without any profile has this name, so it can't be
// given another meaning.
{
  "name": "none",
  "aliases": ["native", "off", "full", "no-throttling"],
  "summary": "Pass through, nothing added",
  "source": "Headwind's own; other tools call it no throttling",
}

"""#),
    ("offline.json", #"""
// No latency and no rate in either direction: nothing gets as far as that.
{
  "name": "offline",
  "aliases": ["airplane", "no-network"],
  "summary": "Everything fails at once: new connections are refused, open ones reset",
  "source": "Headwind's requirements: not connected, everything fails at once",
  "toxics": [
    { "type": "drop", "attributes": { "probability": 1, "per": "connection", "how": "refuse" } },
  ],
}

"""#),
    ("satellite.json", #"""
// Latency: the round trip as measured to a test server (half of it in each direction).
// The rate upstream isn't told for 2025: 3 Mbit/s lies between the 2.43 and 3.38 that the two operators had in 2021.
{
  "name": "satellite",
  "aliases": ["geo", "sat"],
  "summary": "Geostationary satellite: 47.8/3 Mbit/s, 683 ms round trip",
  "source": "Ookla's medians of HughesNet, Q1 2025 (down and latency), and of HughesNet and Viasat, Q2 2021 (up)",
  "path": {
    "latency_ms": 683,
    "downstream_bytes_per_second": 5973750,
    "upstream_bytes_per_second": 375000,
  },
}

"""#),
    ("slow-3g.json", #"""
// Latency: the round trip (half of it in each direction), as WebPageTest has it and as Chrome's "3G" aims at; not the
// product of five times that by which DevTools delays a request. The rate is the one that Chrome applies (0.8 of 500).
{
  "name": "slow-3g",
  "aliases": ["3g-slow", "3gem"],
  "summary": "Slow 3G: 400 kbit/s, 400 ms round trip",
  "source": "WebPageTest's \"3GSlow\" and \"3G_EM\", www/settings/connectivity.ini.sample; Chrome's \"3G\" applies the same rate",
  "path": {
    "latency_ms": 400,
    "downstream_bytes_per_second": 50000,
    "upstream_bytes_per_second": 50000,
  },
}

"""#),
    ("starlink.json", #"""
// Latency: the round trip as measured to a test server (half of it in each direction).
// Every 15 s the dish turns to another satellite: for about 100 ms nothing passes, and packets wait rather than get
// lost.
{
  "name": "starlink",
  "aliases": ["leo"],
  "summary": "Low orbit satellite: 105/15 Mbit/s, 45 ms round trip ± 10 ms, a pause of 0.1 s every 15 s",
  "source": "Ookla's medians of Starlink, Q1 2025; pauses as in arXiv 2310.09242 and 2307.00402; spread as APNIC measured in 2022",
  "path": {
    "latency_ms": 45,
    "jitter_ms": 10,
    "downstream_bytes_per_second": 13088750,
    "upstream_bytes_per_second": 1855000,
    "timeline": {
      "loop": true,
      "steps": [
        { "name": "connected", "for_ms": 14900, "path": {} },
        {
          "name": "pause",
          "for_ms": 100,
          "path": { "downstream_bytes_per_second": 0, "upstream_bytes_per_second": 0 },
        },
      ],
    },
  },
}

"""#),
    ("train.json", #"""
// Latency: the round trip (half of it in each direction), near Ofcom's measured 4G at the station and rising as the
// signal falls: Headwind's choice, since the traces hold no delays.
// The rates are the 95th, 50th and 5th percentile of a second in Mahimahi's trace ATT-LTE-driving (9.5, 5.4 and
// 0.68 Mbit/s down; the mean up is 0.83), the cutting those of the 3G traces (0.01); the gaps are the longest of that
// trace (1.5 s) and of TMobile-UMTS-driving (5.8 s).
{
  "name": "train",
  "aliases": [],
  "summary": "A journey of 132 s from 9.5 Mbit/s down to 10 kbit/s, with gaps of 1.5 and 5.8 s; over and over",
  "source": "Headwind's own, by the percentiles and gaps of Mahimahi's cellular traces ATT-LTE-driving and TMobile-UMTS-driving",
  "path": {
    "latency_ms": 55,
    "jitter_ms": 15,
    "downstream_bytes_per_second": 1187500,
    "upstream_bytes_per_second": 237500,
    "timeline": {
      "loop": true,
      "steps": [
        { "name": "station", "for_ms": 20000, "path": {} },
        {
          "name": "suburb",
          "for_ms": 25000,
          "path": {
            "latency_ms": 70,
            "jitter_ms": 30,
            "downstream_bytes_per_second": 675000,
            "upstream_bytes_per_second": 104250,
          },
        },
        {
          "name": "between-cells",
          "for_ms": 1500,
          "path": { "downstream_bytes_per_second": 0, "upstream_bytes_per_second": 0 },
        },
        {
          "name": "country",
          "for_ms": 30000,
          "path": {
            "latency_ms": 120,
            "jitter_ms": 50,
            "downstream_bytes_per_second": 85000,
            "upstream_bytes_per_second": 31250,
          },
        },
        {
          "name": "cutting",
          "for_ms": 4700,
          "path": {
            "latency_ms": 250,
            "jitter_ms": 100,
            "downstream_bytes_per_second": 1250,
            "upstream_bytes_per_second": 1250,
          },
        },
        {
          "name": "village",
          "for_ms": 25000,
          "path": {
            "latency_ms": 70,
            "jitter_ms": 30,
            "downstream_bytes_per_second": 675000,
            "upstream_bytes_per_second": 104250,
          },
        },
        {
          "name": "tunnel",
          "for_ms": 5800,
          "path": { "downstream_bytes_per_second": 0, "upstream_bytes_per_second": 0 },
        },
        { "name": "arriving", "for_ms": 20000, "path": {} },
      ],
    },
  },
}

"""#),
    ("tunnel.json", #"""
// Latency: the round trip (half of it in each direction), of Ofcom's measured 4G in the open. Headwind chose what
// happens around it: while nothing passes, what is sent waits, and whoever sends backs off. 8 s lies between the
// longest gaps that Mahimahi's cellular traces show in motion (0.9 to 4.1 s on LTE, 5.8 s on UMTS, 11.6 s on EV-DO).
{
  "name": "tunnel",
  "aliases": [],
  "summary": "4G for 30 s, then a tunnel: weak for 3 s, nothing for 8 s, weak for 4 s; over and over",
  "source": "Headwind's own; in the open as Ofcom measured 4G in the UK, Q4 2014 (14.7/13.6 Mbit/s, 53 ms); gaps as in Mahimahi's traces",
  "path": {
    "latency_ms": 53,
    "jitter_ms": 10,
    "downstream_bytes_per_second": 1837500,
    "upstream_bytes_per_second": 1700000,
    "timeline": {
      "loop": true,
      "steps": [
        { "name": "open", "for_ms": 30000, "path": {} },
        {
          "name": "entering",
          "for_ms": 3000,
          "path": {
            "latency_ms": 200,
            "jitter_ms": 80,
            "downstream_bytes_per_second": 62500,
            "upstream_bytes_per_second": 31250,
          },
        },
        {
          "name": "tunnel",
          "for_ms": 8000,
          "path": { "downstream_bytes_per_second": 0, "upstream_bytes_per_second": 0 },
        },
        {
          "name": "leaving",
          "for_ms": 4000,
          "path": {
            "latency_ms": 150,
            "jitter_ms": 60,
            "downstream_bytes_per_second": 125000,
            "upstream_bytes_per_second": 62500,
          },
        },
      ],
    },
  },
}

"""#),
    ("very-bad-network.json", #"""
// Latency: 500 ms one way in each direction there; here their sum, the round trip (half of it in each direction). Other
// copies of the preset disagree (160/80 kbit/s; 20 % loss; 400 ms with 5 %): this one is the only full one, and it fits
// the other presets.
{
  "name": "very-bad-network",
  "aliases": ["very-bad"],
  "summary": "1 Mbit/s, 1 s round trip, 10 % packet loss each way",
  "source": "\"Very Bad Network\" of Apple's Network Link Conditioner, as copied at https://www.useprobe.app/docs/throttling",
  "path": {
    "latency_ms": 1000,
    "downstream_bytes_per_second": 125000,
    "upstream_bytes_per_second": 125000,
    "downstream_loss": 0.1,
    "upstream_loss": 0.1,
  },
}

"""#),
    ("wifi.json", #"""
// Latency: 1 ms one way in each direction there; here their sum, the round trip (half of it in each direction).
{
  "name": "wifi",
  "aliases": ["wi-fi"],
  "summary": "Wi-Fi: 40/33 Mbit/s, 2 ms round trip",
  "source": "\"Wi-Fi\" of Apple's Network Link Conditioner, read off its pane",
  "path": {
    "latency_ms": 2,
    "downstream_bytes_per_second": 5000000,
    "upstream_bytes_per_second": 4125000,
  },
}

"""#),
    ("wpt-2g.json", #"""
// Latency: the round trip of the first hop there, on top of the real path; here, too (half of it in each direction).
{
  "name": "wpt-2g",
  "aliases": [],
  "summary": "WebPageTest's 2G: 280/256 kbit/s, 800 ms round trip",
  "source": "WebPageTest, www/settings/connectivity.ini.sample, [2G]",
  "path": {
    "latency_ms": 800,
    "downstream_bytes_per_second": 35000,
    "upstream_bytes_per_second": 32000,
  },
}

"""#),
    ("wpt-3g-fast.json", #"""
// Latency: the round trip of the first hop there, on top of the real path; here, too (half of it in each direction).
{
  "name": "wpt-3g-fast",
  "aliases": ["wpt-3gfast"],
  "summary": "WebPageTest's 3GFast: 1600/768 kbit/s, 150 ms round trip",
  "source": "WebPageTest, www/settings/connectivity.ini.sample, [3GFast]",
  "path": {
    "latency_ms": 150,
    "downstream_bytes_per_second": 200000,
    "upstream_bytes_per_second": 96000,
  },
}

"""#),
    ("wpt-3g-slow.json", #"""
// Latency: the round trip of the first hop there, on top of the real path; here, too (half of it in each direction).
// "3G_EM" (emerging markets) has the same numbers.
{
  "name": "wpt-3g-slow",
  "aliases": ["wpt-3gslow", "wpt-3g-em", "wpt-3gem"],
  "summary": "WebPageTest's 3GSlow: 400 kbit/s, 400 ms round trip",
  "source": "WebPageTest, www/settings/connectivity.ini.sample, [3GSlow] and [3G_EM]",
  "path": {
    "latency_ms": 400,
    "downstream_bytes_per_second": 50000,
    "upstream_bytes_per_second": 50000,
  },
}

"""#),
    ("wpt-3g.json", #"""
// Latency: the round trip of the first hop there, on top of the real path; here, too (half of it in each direction).
{
  "name": "wpt-3g",
  "aliases": [],
  "summary": "WebPageTest's 3G: 1600/768 kbit/s, 300 ms round trip",
  "source": "WebPageTest, www/settings/connectivity.ini.sample, [3G]",
  "path": {
    "latency_ms": 300,
    "downstream_bytes_per_second": 200000,
    "upstream_bytes_per_second": 96000,
  },
}

"""#),
    ("wpt-4g.json", #"""
// Latency: the round trip of the first hop there, on top of the real path; here, too (half of it in each direction).
{
  "name": "wpt-4g",
  "aliases": [],
  "summary": "WebPageTest's 4G: 9 Mbit/s, 170 ms round trip",
  "source": "WebPageTest, www/settings/connectivity.ini.sample, [4G]",
  "path": {
    "latency_ms": 170,
    "downstream_bytes_per_second": 1125000,
    "upstream_bytes_per_second": 1125000,
  },
}

"""#),
    ("wpt-cable.json", #"""
// Latency: the round trip of the first hop there, on top of the real path; here, too (half of it in each direction).
{
  "name": "wpt-cable",
  "aliases": [],
  "summary": "WebPageTest's Cable: 5/1 Mbit/s, 28 ms round trip",
  "source": "WebPageTest, www/settings/connectivity.ini.sample, [Cable]",
  "path": {
    "latency_ms": 28,
    "downstream_bytes_per_second": 625000,
    "upstream_bytes_per_second": 125000,
  },
}

"""#),
    ("wpt-dial.json", #"""
// Latency: the round trip of the first hop there, on top of the real path; here, too (half of it in each direction).
{
  "name": "wpt-dial",
  "aliases": [],
  "summary": "WebPageTest's Dial: 49/30 kbit/s, 120 ms round trip",
  "source": "WebPageTest, www/settings/connectivity.ini.sample, [Dial]",
  "path": {
    "latency_ms": 120,
    "downstream_bytes_per_second": 6125,
    "upstream_bytes_per_second": 3750,
  },
}

"""#),
    ("wpt-dsl.json", #"""
// Latency: the round trip of the first hop there, on top of the real path; here, too (half of it in each direction).
{
  "name": "wpt-dsl",
  "aliases": [],
  "summary": "WebPageTest's DSL: 1500/384 kbit/s, 50 ms round trip",
  "source": "WebPageTest, www/settings/connectivity.ini.sample, [DSL]",
  "path": {
    "latency_ms": 50,
    "downstream_bytes_per_second": 187500,
    "upstream_bytes_per_second": 48000,
  },
}

"""#),
    ("wpt-edge.json", #"""
// Latency: the round trip of the first hop there, on top of the real path; here, too (half of it in each direction).
{
  "name": "wpt-edge",
  "aliases": [],
  "summary": "WebPageTest's Edge: 240/200 kbit/s, 840 ms round trip",
  "source": "WebPageTest, www/settings/connectivity.ini.sample, [Edge]",
  "path": {
    "latency_ms": 840,
    "downstream_bytes_per_second": 30000,
    "upstream_bytes_per_second": 25000,
  },
}

"""#),
    ("wpt-fios.json", #"""
// Latency: the round trip of the first hop there, on top of the real path; here, too (half of it in each direction).
{
  "name": "wpt-fios",
  "aliases": [],
  "summary": "WebPageTest's FIOS: 20/5 Mbit/s, 4 ms round trip",
  "source": "WebPageTest, www/settings/connectivity.ini.sample, [FIOS]",
  "path": {
    "latency_ms": 4,
    "downstream_bytes_per_second": 2500000,
    "upstream_bytes_per_second": 625000,
  },
}

"""#),
    ("wpt-lte.json", #"""
// Latency: the round trip of the first hop there, on top of the real path; here, too (half of it in each direction).
{
  "name": "wpt-lte",
  "aliases": [],
  "summary": "WebPageTest's LTE: 12 Mbit/s, 70 ms round trip",
  "source": "WebPageTest, www/settings/connectivity.ini.sample, [LTE]",
  "path": {
    "latency_ms": 70,
    "downstream_bytes_per_second": 1500000,
    "upstream_bytes_per_second": 1500000,
  },
}

"""#),
    ("wpt-native.json", #"""
{
  "name": "wpt-native",
  "aliases": [],
  "summary": "WebPageTest's Native: pass through, nothing added",
  "source": "WebPageTest, www/settings/connectivity.ini.sample, [Native]",
}

"""#),
  ]
}
