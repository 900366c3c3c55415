import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.opensearch.analysis.common.CommonAnalysisPlugin;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.index.mapper.MapperExtrasPlugin;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.plugins.Plugin;
import org.opensearch.transport.Netty4Plugin;

/** One node of OpenSearch from jars on the class path, on loopback only. Arguments: its folder, and its port. */
public class Server extends Node {
    Server(Environment environment) {
        super(environment, List.<Class<? extends Plugin>>of(
            Netty4Plugin.class, CommonAnalysisPlugin.class, MapperExtrasPlugin.class), false);
    }

    public static void main(String[] arguments) throws Exception {
        Settings settings = Settings.builder()
            .put("path.home", arguments[0])
            .put("http.port", arguments[1])
            .put("transport.port", "0")
            .put("network.host", "127.0.0.1")
            .put("discovery.type", "single-node")
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .put("action.auto_create_index", false)
            .build();
        Path home = Path.of(arguments[0]);
        new Server(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), home, () -> "test")).start();
        new CountDownLatch(1).await();
    }
}
